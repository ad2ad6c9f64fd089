# languages
# The first wanted language that has a title is the product's; the others are its translations.
set MARKETPLACE_LANGUAGES=nl,en
list lamp title="A lamp" title.nl="Een lamp"
list chair title="A chair"
run                        -> created 2; shop lamp title="Een lamp" title.nl="Een lamp"; shop chair title="A chair"
