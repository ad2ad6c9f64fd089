<?php
// A whole shop for pubsync's adapter `http`, in PHP without any extension: products in one JSON file, written atomically.
//   SHOP_TOKEN=secret SHOP_FILE=shop.json php -S 127.0.0.1:8090 server.php
// Behind Apache or nginx, have every request below the base address answered by this file.
declare(strict_types=1);

$file = getenv('SHOP_FILE') ?: 'shop.json';

/** Reads the shop, lets $change change it, and writes it: the old file or the new one, whatever crashes, and one request at a time. */
function shop(string $file, callable $change): array
{
    $lock = fopen($file . '.lock', 'c');
    flock($lock, LOCK_EX);
    $shop = is_file($file) ? json_decode(file_get_contents($file), true, 64, JSON_THROW_ON_ERROR) : ['next' => 1, 'products' => []];
    $before = $shop;
    $answer = $change($shop);
    if ($shop !== $before) {
        $out = fopen($file . '.tmp', 'w');
        fwrite($out, json_encode($shop, JSON_THROW_ON_ERROR));
        fflush($out);
        fsync($out);
        fclose($out);
        rename($file . '.tmp', $file);
    }
    fclose($lock);
    return $answer;
}

function address(int $number): string
{
    return 'http://' . ($_SERVER['HTTP_HOST'] ?? 'localhost') . '/p/' . $number;
}

/** The key of a publication in an array: PHP would make a number of "12", and 12 and "012" are two publications. */
function key_of(string $publication): string
{
    return 'id:' . $publication;
}

const OF_PRODUCT = [
    'title' => ['title'], 'description' => ['description', 'translations'], 'images' => ['images'], 'category' => ['category'],
    'variants' => ['options'], 'shipping' => ['shipping', 'returns'],
    'brand' => ['brand'],
];
const DETAILS = ['weight', 'length', 'width', 'height', 'diameter', 'volume', 'origin', 'leadTime', 'availableAt', 'tags', 'materials', 'caseQuantity'];
const OF_VARIANT = [
    'variants' => ['title', 'sku', 'ean', 'options'], 'price' => ['price', 'cost', 'msrp'], 'stock' => ['quantity', 'backorders'],
    'details' => DETAILS,
];

/** What `changed` does not name stays as it is here: the owner may have edited it since. */
function merged(?array $old, array $now, array $groups, array $changed): array
{
    foreach ($old ? $groups : [] as $group => $members) {
        foreach (in_array($group, $changed, true) ? [] : $members as $member) {
            unset($now[$member]);
            $now += array_intersect_key($old, [$member => 0]);
        }
    }
    return $now;
}

/** Where health says "observed", the variants are shown as they stand here. */
function observed(array $product): array
{
    return array_map(fn ($v) => [
        'id' => $v['id'], 'sku' => $v['sku'], 'price' => $v['price'], 'quantity' => $v['quantity'], 'backorders' => $v['backorders'],
        'onSale' => $product['onSale'] && empty($v['off']),
    ], $product['variants']);
}

const TEXTS = ['title', 'description', 'images', 'category'];

/** Optional: the texts that the owner has edited since they were written. `written` is a copy of them, made by each put. */
function edited(array $product): array
{
    $differs = fn ($member) => isset($product['written'][$member]) && $product['written'][$member] != $product[$member];
    return array_values(array_filter(TEXTS, fn ($group) => (bool) array_filter(OF_PRODUCT[$group], $differs)));
}

/** The same put twice is one product, and the last put wins: the publication's id is the key. */
function put(string $file, string $publication, mixed $product, bool $recreate): array
{
    if (!is_array($product) || empty($product['title']) || !is_array($product['variants'] ?? null)) {
        return [422, ['title' => 'Not a product', 'detail' => 'it has no title, or no variants']];
    }
    $sold = array_values(array_filter($product['variants'], fn ($v) => (float) $v['price'] > 0));
    if (!$sold) {
        return [422, ['title' => 'Nothing to sell', 'detail' => 'no variant has a price above zero']];
    }
    return shop($file, function (array &$shop) use ($publication, $product, $sold, $recreate): array {
        $key = key_of($publication);
        if (isset($shop['deleted'][$key]) && !$recreate) {
            return [410, ['deleted' => true]];
        }
        unset($shop['deleted'][$key]);
        $old = $shop['products'][$key] ?? null;
        $number = $old['number'] ?? $shop['next']++;
        $kept = array_values(array_diff(array_intersect($old ? edited($old) : [], $product['changed'] ?? []), $product['reset'] ?? []));
        $changed = array_values(array_diff($product['changed'] ?? [], $kept));
        $before = array_column($old['variants'] ?? [], null, 'id');
        $off = fn ($v) => !empty($before[$v['id']]['off']) && empty($product['revive']); // what the owner switched off stays off
        $written = array_map(fn ($v) => ['off' => $off($v)] + merged($before[$v['id']] ?? null, $v, OF_VARIANT, $changed), $sold);
        $now = merged($old, $product, OF_PRODUCT, $changed);
        $copy = $old['written'] ?? [];
        foreach (array_merge(...array_map(fn ($group) => OF_PRODUCT[$group], $old ? array_intersect(TEXTS, $changed) : TEXTS)) as $member) {
            $copy[$member] = $now[$member];
        }
        $sale = !empty($old['onSale']) || empty($product['draft']); // a draft waits for the owner; what is on sale stays so
        $shop['products'][$key] = ['publication' => $publication, 'number' => $number, 'onSale' => $sale, 'draft' => !$sale, 'variants' => $written,
            'written' => $copy] + $now;
        $variants = new stdClass();
        $refused = new stdClass();
        foreach ($product['variants'] as $v) {
            if ((float) $v['price'] > 0) {
                $variants->{$v['id']} = $number . '-' . $v['id'];
            } else {
                $refused->{$v['id']} = 'its price is not above zero';
            }
        }
        return [$old ? 200 : 201, ['id' => (string) $number, 'url' => address($number), 'variants' => $variants, 'refused' => $refused, 'kept' => $kept,
            'draft' => !$sale]];
    });
}

/** Optional, where health says so: prices and stock alone. What is not here with these very variants is put whole. */
function patch(string $file, string $publication, array $body): array
{
    return shop($file, function (array &$shop) use ($publication, $body): array {
        $key = key_of($publication);
        if (isset($shop['deleted'][$key]) || !isset($shop['products'][$key])) {
            return isset($shop['deleted'][$key]) ? [410, ['deleted' => true]] : [404, ['title' => 'No such product']];
        }
        $product = &$shop['products'][$key];
        $of = [];
        foreach ($body['variants'] as $f) {
            $of[key_of($f['id'])] = $f;
        }
        $variants = new stdClass();
        foreach ($product['variants'] as $v) {
            if ((float) ($of[key_of($v['id'])]['price'] ?? 0) <= 0 || count($of) !== count($product['variants'])) {
                return [409, ['title' => 'Not with these variants']];
            }
            $variants->{$v['id']} = $product['number'] . '-' . $v['id'];
        }
        $groups = ['price' => OF_VARIANT['price'], 'stock' => OF_VARIANT['stock']];
        $changed = $body['changed'] ?? [];
        $product['variants'] = array_map(fn ($v) => merged($v, $of[key_of($v['id'])], $groups, $changed) + $v, $product['variants']);
        $product['onSale'] = empty($product['draft']);
        return [200, ['id' => (string) $product['number'], 'url' => address($product['number']), 'variants' => $variants, 'draft' => !$product['onSale']]];
    });
}

function remove(string $file, string $publication, string $mode): array
{
    return shop($file, function (array &$shop) use ($publication, $mode): array {
        $key = key_of($publication);
        unset($shop['deleted'][$key]);
        if (!isset($shop['products'][$key])) {
            return [404, ['title' => 'No such product']];
        }
        if ($mode === 'delete') {
            unset($shop['products'][$key]);
        } else {
            $shop['products'][$key]['onSale'] = false;
        }
        return [204, null];
    });
}

/** Optional: the owner deletes a product by hand, at its own address. It stays away, and a PUT is told so, until somebody asks for it. */
function remove_by_hand(string $file, int $number): array
{
    return shop($file, function (array &$shop) use ($number): array {
        foreach ($shop['products'] as $key => $product) {
            if ($product['number'] === $number) {
                unset($shop['products'][$key]);
                $shop['deleted'][$key] = true;
                return [204, null];
            }
        }
        return [404, ['title' => 'No such product']];
    });
}

/** Optional: the owner puts a draft on sale, at its own address (POST). */
function sell_by_hand(string $file, int $number): array
{
    return shop($file, function (array &$shop) use ($number): array {
        foreach ($shop['products'] as &$product) {
            if ($product['number'] === $number && !empty($product['draft'])) {
                $product = ['onSale' => true, 'draft' => false] + $product;
                return [204, null];
            }
        }
        return [404, ['title' => 'No such draft']];
    });
}

/** Optional: what is here, a hundred at a time, so that pubsync finds it again when its own store is lost. */
function listing(string $file, string $after, ?string $only): array
{
    return shop($file, function (array &$shop) use ($after, $only): array {
        $rest = array_filter($shop['products'], fn ($p) => $p['number'] > (int) $after);
        $rest = array_filter($rest, fn ($p) => ($only ?? $p['publication']) === $p['publication']);
        usort($rest, fn ($a, $b) => $a['number'] <=> $b['number']);
        $page = array_map(fn ($p) => [
            'publication' => $p['publication'], 'id' => (string) $p['number'], 'url' => address($p['number']), 'onSale' => $p['onSale'],
            'variants' => observed($p), 'images' => count($p['images']), 'edited' => edited($p),
        ], array_slice($rest, 0, 100));
        return [200, ['products' => $page, 'after' => count($rest) > 100 ? end($page)['id'] : '']];
    });
}

/** What a customer sees: brand and details are optional members, so each is shown where it is there. */
function page(string $file, int $number): array
{
    return shop($file, function (array &$shop) use ($number): array {
        foreach ($shop['products'] as $product) {
            if ($product['number'] !== $number || !$product['onSale']) {
                continue;
            }
            $lists = '';
            foreach (array_filter($product['variants'], fn ($v) => empty($v['off'])) as $v) {
                $lists .= '<dl>';
                foreach (['sku', 'price', 'ean', ...DETAILS] as $name) {
                    $value = implode(', ', (array) ($v[$name] ?? []));
                    $lists .= $value === '' ? '' : '<dt>' . $name . '</dt><dd>' . htmlspecialchars($value) . '</dd>';
                }
                $lists .= '</dl>';
            }
            $title = htmlspecialchars($product['title']);
            return [200, '<!doctype html><meta charset=utf-8><title>' . $title . '</title><h1>' . $title . '</h1><p>'
                . htmlspecialchars($product['brand'] ?? '') . '</p>' . $product['description'] . $lists];
        }
        return [404, ['title' => 'No such page']];
    });
}

function answer(string $file): array
{
    $path = explode('?', $_SERVER['REQUEST_URI'], 2)[0]; // not decoded: an id may hold a slash
    $method = $_SERVER['REQUEST_METHOD'];
    if ($path === '/health') {
        return [200, ['currency' => 'EUR', 'version' => 'example 1', 'figures' => true, 'observed' => true, 'drafts' => true]];
    }
    if ($method === 'GET' && preg_match('{^/p/(\d+)$}', $path, $found)) {
        return page($file, (int) $found[1]);
    }
    $token = getenv('SHOP_TOKEN') ?: '';
    if ($token !== '' && !hash_equals('Bearer ' . $token, $_SERVER['HTTP_AUTHORIZATION'] ?? '')) {
        return [401, ['title' => 'The token is not this shop\'s']];
    }
    if ($path === '/products' && $method === 'GET') {
        return listing($file, (string) ($_GET['after'] ?? ''), $_GET['publication'] ?? null);
    }
    if ($method === 'DELETE' && preg_match('{^/p/(\d+)$}', $path, $found)) {
        return remove_by_hand($file, (int) $found[1]);
    }
    if ($method === 'POST' && preg_match('{^/p/(\d+)$}', $path, $found)) {
        return sell_by_hand($file, (int) $found[1]);
    }
    if (!preg_match('{^/products/([^/]+)$}', $path, $found)) {
        return [404, ['title' => 'No such address']];
    }
    $publication = rawurldecode($found[1]);
    return match ($method) {
        'PUT' => put(
            $file,
            $publication,
            json_decode(file_get_contents('php://input'), true, 64, JSON_THROW_ON_ERROR),
            ($_SERVER['HTTP_PUBSYNC_RECREATE'] ?? '') === 'true',
        ),
        'PATCH' => patch($file, $publication, json_decode(file_get_contents('php://input'), true, 64, JSON_THROW_ON_ERROR)),
        'DELETE' => remove($file, $publication, (string) ($_GET['mode'] ?? '')),
        default => [405, ['title' => 'PUT, PATCH or DELETE']],
    };
}

try {
    [$status, $body] = answer($file);
} catch (JsonException $error) {
    [$status, $body] = [400, ['title' => 'Cannot be read', 'detail' => $error->getMessage()]];
}
http_response_code($status);
header('Content-Type: ' . (is_string($body) ? 'text/html' : ($status < 400 ? 'application/json' : 'application/problem+json')));
if (is_string($body)) {
    echo $body;
} elseif ($body !== null) {
    echo json_encode($body, JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR);
}
