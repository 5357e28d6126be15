// Writes docs/s3.md from the operation table, the dialect table and the list of excluded tests, so that the page always
// matches the code. `npm run docs` writes it; `node scripts/s3-coverage.mjs --check` fails when it is out of date.
// Needs a build.
import { readFile, writeFile } from 'node:fs/promises'
import { permissionTable } from '../packages/http/dist/access/permission-table.js'
import { dialectTable, operations } from '../packages/http/dist/index.js'
import { exclusions } from '../test/dist/s3-tests/excluded.js'
import { otherSuites } from '../test/dist/s3-tests/other-suites.js'
import { judgements, passed } from '../test/dist/s3-tests/versitygw.js'

const page = new URL('../docs/s3.md', import.meta.url)
const text = render()

if (process.argv.includes('--check')) {
  if ((await readFile(page, 'utf8')) !== text) {
    console.error('docs/s3.md is out of date: run `npm run docs`.')
    process.exitCode = 1
  }
} else await writeFile(page, text)

function render() {
  const built = operations.filter((row) => row.handler !== undefined)
  const failed = judgements.reduce((sum, { tests }) => sum + tests, 0)
  const unbuilt = operations.filter((row) => row.handler === undefined)
  return `# S3 coverage

Generated from the operation table and the dialect table: \`npm run docs\`.

${new Set(built.map(({ name }) => name)).size} operations are built. Whatever else S3 has is recognised and answers \`NotImplemented\` (501), never
something wrong; so do headers and query parameters that would change what an operation means. Headers are known by their exact names: an
operation refuses every header \`x-amz-…\` that it does not read, except user metadata and those that request nothing.
A parameter of one operation on another is \`InvalidArgument\` (400). Reads ignore parameters that S3 does not have, but not a known one in
another case, such as \`versionid\`. A parameter that is there twice is \`InvalidArgument\` (400). The S3 Control API (\`/v20180820/…\`) answers \`MethodNotAllowed\` (405).

\`x-amz-content-sha256\` alone decides whether a body is aws-chunked. A body that \`Content-Encoding\`, \`x-amz-trailer\` or
\`x-amz-decoded-content-length\` announces as aws-chunked without it is \`InvalidArgument\` (400), also in presigned URLs, parts, forms
and requests of the control API. A write that reads no body
(a copy, the creation of an upload, a deletion) refuses one with \`InvalidRequest\` (400), and \`Content-MD5\` and \`x-amz-checksum-…\` of
other bytes than none with \`BadDigest\` (400). \`Content-Range\` and \`Trailer\` on writes, and a transfer coding other than \`chunked\`,
are \`NotImplemented\` (501).

## Operations that are built

| Operation | Request | Permission |
|---|---|---|
${built.map((row) => `| ${row.name} | ${request(row)} | ${permissions(row)} |`).join('\n')}

## Operations that answer NotImplemented

${[...new Set(unbuilt.map(({ name }) => name))].sort().join(', ')}.

## Where the dialects differ

| Point | neutral | aws |
|---|---|---|
${dialectTable.map(({ point, neutral, aws }) => `| ${cell(point)} | ${cell(neutral)} | ${cell(aws)} |`).join('\n')}

## ceph/s3-tests

\`npm run suite s3-tests -- CHECKOUT\` runs every test of \`test_s3.py\` and \`test_headers.py\` that is not marked as failing on AWS against a
server of this tree. These are left out:

| Tests | Why |
|---|---|
${exclusions.map(({ names, reason }) => `| ${quoted(names)} | ${cell(reason)} |`).join('\n')}

## versitygw

Of the ${passed + failed} tests of versitygw's suite ${passed} pass against a server of this tree with the dialect \`aws\`. The suite tests a gateway to
file systems; what else fails was judged, class by class:

| Tests | Such as | Why |
|---|---|---|
${judgements.map(({ tests, names, reason }) => `| ${tests} | ${quoted(names)} | ${cell(reason)} |`).join('\n')}

## Suites of client libraries

Run against a server with the dialect \`aws\` and \`--bucket-defaults open\`:

| Suite | Passed | Failed | What failed |
|---|---|---|---|
${otherSuites.map(({ suite, passed: ok, failed: bad, reasons }) => `| ${cell(suite)} | ${ok} | ${bad} | ${cell(reasons.join(' '))} |`).join('\n')}
`
}

/** Method and path, with what distinguishes the operation from others. */
function request({ method, level, when }) {
  const path = { service: '/', bucket: '/{Bucket}', object: '/{Bucket}/{Key}' }[level]
  const query = (when.query ?? []).map((one) => (typeof one === 'string' ? one : one.join('=')))
  const header = (when.header ?? []).map((one) => (typeof one === 'string' ? one : one.join(': ')))
  const target = `${path}${query.length > 0 ? `?${query.join('&')}` : ''}`
  return `\`${method} ${target}\`${header.map((name) => ` with \`${name}\``).join('')}`
}

/** The actions that it always needs, and that further ones may be needed. */
function permissions({ name }) {
  const rules = permissionTable[name]
  const always = rules.filter(({ when, resource }) => when === undefined && resource !== 'each key')
  const actions = [...new Set(always.flatMap(({ action, ofVersion }) => [action, ofVersion ?? action]))]
  if (actions.length === 0) return 'that of each key’s own deletion'
  const more = rules.some(({ when }) => when !== undefined) ? ' [and more](permissions.md)' : ''
  return actions.map((action) => `\`${action}\``).join(', ') + more
}

function quoted(names) {
  return names.map((name) => `\`${name}\``).join(', ')
}

function cell(value) {
  return value.replaceAll('|', '\\|')
}
