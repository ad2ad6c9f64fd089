package vendure

// ConfigLines is what the shop's owner adds to vendure-config.ts: the custom fields in which the
// adapter keeps its stamp. They are what the error says when the fields are missing.
const ConfigLines = `customFields: {
  Product: [
    { name: 'pubsyncId', type: 'string', nullable: true, public: false },
    { name: 'pubsyncStamp', type: 'text', nullable: true, public: false },
  ],
  ProductVariant: [
    { name: 'pubsyncId', type: 'string', nullable: true, public: false },
  ],
},`

// DetailLines are what an owner who wants the details of variants in the shop adds to the fields of
// ProductVariant. Each but the first may be left out. A field of the owner's own that has one of
// these names is used as it is declared.
const DetailLines = `{ name: 'pubsyncStamp', type: 'text', nullable: true, public: false },
{ name: 'ean', type: 'string', nullable: true },
{ name: 'weight', type: 'float', nullable: true },
{ name: 'length', type: 'float', nullable: true },
{ name: 'width', type: 'float', nullable: true },
{ name: 'height', type: 'float', nullable: true },
{ name: 'diameter', type: 'float', nullable: true },
{ name: 'volume', type: 'string', nullable: true },
{ name: 'origin', type: 'string', nullable: true },
{ name: 'materials', type: 'string', list: true, nullable: true },
{ name: 'tags', type: 'string', list: true, nullable: true },
{ name: 'leadTime', type: 'string', nullable: true },
{ name: 'caseQuantity', type: 'int', nullable: true },`
