// A whole shop for pubsync's adapter `http`, in Node without any package: products in one JSON file, written atomically.
//   SHOP_TOKEN=secret node server.mjs 8090 shop.json
import { createServer } from 'node:http'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'

const [port = '8090', file = 'shop.json'] = process.argv.slice(2)
const bearer = process.env.SHOP_TOKEN && `Bearer ${process.env.SHOP_TOKEN}`
let next = 1
let products = new Map() // publication id -> product: a Map, since an id may be "__proto__"
try {
  const saved = JSON.parse(readFileSync(file, 'utf8'))
  next = saved.next
  products = new Map(saved.products)
} catch (e) { if (e.code !== 'ENOENT') throw e }

const save = () => { // the old file or the new one, whatever crashes
  writeFileSync(file + '.tmp', JSON.stringify({ next, products: [...products] }))
  renameSync(file + '.tmp', file)
}
const address = number => `http://localhost:${port}/p/${number}`
// What `changed` does not name stays as it is here: the owner may have edited it since.
const ofProduct = { title: ['title'], description: ['description', 'translations'], images: ['images'], category: ['category'], variants: ['options'], shipping: ['shipping', 'returns'], brand: ['brand'] }
const details = ['weight', 'length', 'width', 'height', 'diameter', 'volume', 'origin', 'leadTime', 'availableAt', 'tags', 'materials', 'caseQuantity']
const ofVariant = { variants: ['title', 'sku', 'ean', 'options'], price: ['price', 'cost', 'msrp'], stock: ['quantity', 'backorders'], details }
const merged = (old, now, groups, changed) => {
  const stays = Object.keys(groups).filter(g => !changed.includes(g)).flatMap(g => groups[g])
  return old ? { ...now, ...Object.fromEntries(stays.map(member => [member, old[member]])) } : now // what is undefined is not saved
}
// Optional: the texts that the owner has edited since they were written. `written` is a copy of them, made by each put.
const texts = ['title', 'description', 'images', 'category']
const edited = p => texts.filter(g => ofProduct[g].some(m => p.written && m in p.written && JSON.stringify(p[m]) !== JSON.stringify(p.written[m])))
// The same put twice is one product, and the last put wins: the publication's id is the key.
const put = (id, product, recreate) => {
  if (!product?.title || !Array.isArray(product.variants)) return [422, { title: 'Not a product', detail: 'it has no title, or no variants' }]
  const refused = Object.fromEntries(product.variants.filter(v => !(v.price > 0)).map(v => [v.id, 'its price is not above zero']))
  const sold = product.variants.filter(v => v.price > 0)
  if (!sold.length) return [422, { title: 'Nothing to sell', detail: 'no variant has a price above zero' }]
  const known = products.get(id)
  if (known?.deleted && !recreate) return [410, { deleted: true }]
  const old = known?.deleted ? undefined : known
  const number = old ? old.number : next++
  const kept = old ? edited(old).filter(g => product.changed?.includes(g) && !product.reset?.includes(g)) : []
  const changed = (product.changed ?? []).filter(g => !kept.includes(g))
  const before = new Map((old?.variants ?? []).map(v => [v.id, v]))
  const off = v => Boolean(before.get(v.id)?.off && !product.revive) // what the owner switched off stays off
  const written = sold.map(v => ({ ...merged(before.get(v.id), v, ofVariant, changed), off: off(v) }))
  const now = merged(old, product, ofProduct, changed)
  const put = texts.filter(g => !old || changed.includes(g)).flatMap(g => ofProduct[g])
  const copy = { ...old?.written, ...Object.fromEntries(put.map(m => [m, now[m]])) }
  const onSale = Boolean(old?.onSale) || !product.draft // a draft waits for the owner; what is on sale stays so
  products.set(id, { ...now, number, onSale, draft: !onSale, variants: written, written: copy })
  save()
  const variants = Object.fromEntries(sold.map(v => [v.id, `${number}-${v.id}`]))
  return [old ? 200 : 201, { id: String(number), url: address(number), variants, refused, kept, draft: !onSale }]
}
// Optional, where health says so: prices and stock alone. What is not here with these very variants is put whole.
const patch = (id, { variants: figures, changed = [] }) => {
  const product = products.get(id)
  if (!product || product.deleted) return product ? [410, { deleted: true }] : [404, { title: 'No such product' }]
  const of = new Map(figures.map(f => [f.id, f]))
  const same = of.size === product.variants.length && product.variants.every(v => of.get(v.id)?.price > 0)
  if (!same) return [409, { title: 'Not with these variants' }]
  product.variants = product.variants.map(v => ({ ...v, ...merged(v, of.get(v.id), { price: ofVariant.price, stock: ofVariant.stock }, changed) }))
  Object.assign(product, { onSale: !product.draft })
  save()
  const variants = Object.fromEntries(product.variants.map(v => [v.id, `${product.number}-${v.id}`]))
  return [200, { id: String(product.number), url: address(product.number), variants, draft: product.draft }]
}
const remove = (id, mode) => {
  const product = products.get(id)
  if (!product) return [404, { title: 'No such product' }]
  if (mode === 'delete' || product.deleted) products.delete(id)
  else Object.assign(product, { onSale: false })
  save()
  return product.deleted ? [404, { title: 'No such product' }] : [204]
}
// Optional: the owner deletes a product by hand, at its own address. It stays away, and a PUT is told so, until somebody asks for it.
const removeByHand = number => {
  const [id] = [...products].find(([, p]) => String(p.number) === number && !p.deleted) ?? []
  if (id === undefined) return [404, { title: 'No such product' }]
  products.set(id, { number: Number(number), deleted: true })
  save()
  return [204]
}
// Optional: the owner puts a draft on sale, at its own address (POST).
const sellByHand = number => {
  const product = [...products.values()].find(p => String(p.number) === number && p.draft)
  if (!product) return [404, { title: 'No such draft' }]
  Object.assign(product, { onSale: true, draft: false })
  save()
  return [204]
}
// Optional: what is here, a hundred at a time in the order of the shop's numbers, so that pubsync finds it again when its own store is lost.
// Where health says "observed", the variants are shown as they stand here.
const observed = p => p.variants.map(({ id, sku, price, quantity, backorders, off }) =>
  ({ id, sku, price, quantity, backorders, onSale: p.onSale && !off }))
const list = (after, only) => {
  const rest = [...products].filter(([id, p]) => (only ?? id) === id && !p.deleted && p.number > Number(after)).sort(([, a], [, b]) => a.number - b.number)
  const page = rest.slice(0, 100).map(([publication, p]) => ({ publication, id: String(p.number), url: address(p.number), onSale: p.onSale, variants: observed(p), images: p.images.length, edited: edited(p) }))
  return [200, { products: page, after: rest.length > 100 ? page[99].id : '' }]
}
// What a customer sees: brand and details are optional members, so each is shown where it is there.
const text = s => String(s).replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`)
const page = number => {
  const product = [...products.values()].find(p => p.number === Number(number) && p.onSale)
  if (!product) return [404, { title: 'No such page' }]
  const { title, brand = '', description, variants } = product
  const facts = v => ['sku', 'price', 'ean', ...details].filter(name => v[name]).map(name => `<dt>${name}</dt><dd>${text([v[name]].flat().join(', '))}</dd>`)
  const lists = variants.filter(v => !v.off).map(v => `<dl>${facts(v).join('')}</dl>`).join('')
  return [200, `<!doctype html><meta charset=utf-8><title>${text(title)}</title><h1>${text(title)}</h1><p>${text(brand)}</p>${description}${lists}`]
}
const answer = async req => {
  const url = new URL(req.url, 'http://shop')
  if (url.pathname === '/health') return [200, { currency: 'EUR', version: 'example 1', figures: true, observed: true, drafts: true, products: [...products].filter(([, p]) => !p.deleted).length }]
  const number = url.pathname.match(/^\/p\/(\d+)$/)?.[1]
  if (number && req.method === 'GET') return page(number)
  if (bearer && req.headers.authorization !== bearer) return [401, { title: 'The token is not this shop\'s' }]
  if (url.pathname === '/products' && req.method === 'GET') return list(url.searchParams.get('after'), url.searchParams.get('publication'))
  if (number && req.method === 'DELETE') return removeByHand(number)
  if (number && req.method === 'POST') return sellByHand(number)
  const id = url.pathname.match(/^\/products\/([^/]+)$/)?.[1]
  if (id === undefined) return [404, { title: 'No such address' }]
  if (req.method === 'DELETE') return remove(decodeURIComponent(id), url.searchParams.get('mode'))
  if (req.method !== 'PUT' && req.method !== 'PATCH') return [405, { title: 'PUT, PATCH or DELETE' }]
  let body = ''
  for await (const chunk of req.setEncoding('utf8')) body += chunk
  if (req.method === 'PATCH') return patch(decodeURIComponent(id), JSON.parse(body))
  return put(decodeURIComponent(id), JSON.parse(body), req.headers['pubsync-recreate'] === 'true')
}
createServer(async (req, res) => {
  const [status, body] = await answer(req).catch(e => [400, { title: 'Cannot be read', detail: e.message }])
  const isPage = typeof body === 'string'
  res.writeHead(status, { 'content-type': isPage ? 'text/html' : status < 400 ? 'application/json' : 'application/problem+json' })
  res.end(isPage ? body : body && JSON.stringify(body))
}).listen(Number(port), '127.0.0.1', function () { console.log(`shop at http://127.0.0.1:${this.address().port}`) })
