// Writes docs/permissions.md from the table of permissions and the keys of each action, so that the page always matches
// the code. `npm run docs` writes it; `node scripts/permissions.mjs --check` fails when it is out of date. Needs a
// build.
import { readFile, writeFile } from 'node:fs/promises'
import { everyRequestKeys, keysOfAction } from '../packages/http/dist/policies/action-keys.js'
import { s3Actions, varveActions } from '../packages/http/dist/policies/actions.js'
import { permissionTable } from '../packages/http/dist/access/permission-table.js'

const page = new URL('../docs/permissions.md', import.meta.url)
const text = render()

if (process.argv.includes('--check')) {
  if ((await readFile(page, 'utf8').catch(() => '')) !== text) {
    console.error('docs/permissions.md is out of date: run `npm run docs`.')
    process.exitCode = 1
  }
} else await writeFile(page, text)

function render() {
  const rows = Object.entries(permissionTable).flatMap(([name, rules]) => rules.map((rule) => row(name, rule)))
  const controlActions = varveActions.filter((action) => action !== 'varve:ReadHistory')
  const actions = s3Actions.filter((action) => keysOfAction(action).length > 0)
  return `# Permissions

Generated from the table of permissions (\`packages/http/src/access/permission-table.ts\`): \`npm run docs\`. What the actions mean and how
policies are judged: [access.md](access.md).

## What each operation needs

An operation needs every row that applies to the request. Where two actions stand in a row, the second is needed instead of the first for
a request that names a version. A request for a key that is not there also needs \`s3:ListBucket\` with the key as its prefix to be
answered \`NoSuchKey\` instead of \`AccessDenied\`. A request for a bucket as it was, or for a copy from one, also needs
\`varve:ReadHistory\` on the bucket: see [looking-back.md](looking-back.md#who-may-look-back). Operations of the
[control API](control.md#over-http) need ${controlActions.map((action) => `\`${action}\``).join(', ')}.

| Operation | When | Action | Resource | Without it |
|---|---|---|---|---|
${rows.join('\n')}

## Condition keys

Every request has \`aws:CurrentTime\`, \`EpochTime\`, \`PrincipalAccount\`, \`PrincipalArn\`, \`PrincipalIsAWSService\`, \`PrincipalType\`, \`Referer\`,
\`RequestedRegion\`, \`ResourceAccount\`, \`SecureTransport\`, \`SourceIp\`, \`UserAgent\`, \`userid\`, \`username\` and \`ViaAWSService\` as far as they
apply, and ${everyRequestKeys.map((key) => `\`${key}\``).join(', ')}. Further keys belong to the action: a request has them only where the action has them,
whatever its headers and its URL say.

| Action | Keys |
|---|---|
${actions.map((action) => `| \`${action}\` | ${keysOfAction(action).map(keyName).join(', ')} |`).join('\n')}
`
}

function row(name, { action, ofVersion, resource, when, without, body = [] }) {
  const actions = [action, ...(ofVersion === undefined ? [] : [ofVersion])].map((one) => `\`${one}\``).join(', ')
  const read = body.length === 0 ? '' : `; the body answers ${body.map(keyName).join(', ')}`
  return `| ${name} | ${trigger(when)} | ${actions} | ${placeOf(resource)}${read} | ${without ?? 'refused'} |`
}

function placeOf(resource) {
  switch (resource) {
    case 'service':
      return 'all'
    case 'source of the fork':
      return 'the source of the fork'
    case 'source':
      return 'the source of the copy'
    case 'each key':
      return 'each key of the body'
    default:
      return `the ${resource}`
  }
}

function trigger(when) {
  if (when === undefined) return 'always'
  if ('element' in when) return `the body has \`${when.element}\``
  if ('copied' in when) return `the source has ${when.copied} and they are copied`
  if ('shown' in when) return `the object has ${when.shown}`
  const names = when.headers.map((name) => `\`${name}\``).join(', ')
  if (when.only !== undefined) return `${names}: ${when.only.map((value) => `\`${value}\``).join(', ')}`
  const except = (when.except ?? []).map((value) => (value === '' ? 'nothing' : `\`${value}\``))
  return except.length === 0 ? names : `${names}, other than ${except.join(', ')}`
}

function keyName(key) {
  const isFamily = key === 's3:existingobjecttag' || key === 's3:requestobjecttag'
  return `\`${key}${isFamily ? '/…' : ''}\``
}
