// node purgecss.js PURGECSS: reads { content: [HTML], css: [text], config: path } as JSON from standard input, and writes the texts
// that PurgeCSS leaves of the sheets, as JSON. PURGECSS is a module that exports its class. For purgecss.py.
const { readFileSync } = require('fs');
const path = require('path');
const { PurgeCSS } = require(path.resolve(process.argv[2]));
const { content, css, config } = JSON.parse(readFileSync(0, 'utf8'));
const options = config ? require(path.resolve(config)) : {};
const job = { ...options, content: content.map(raw => ({ raw, extension: 'html' })), css: css.map(raw => ({ raw })) };
new PurgeCSS().purge(job).then(results => console.log(JSON.stringify(results.map(result => result.css))));
