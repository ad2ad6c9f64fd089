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
