// Names speak the field's language (docs/glossary.md): `npm run check:words` fails for a private word in an identifier, in the
// name of a file or folder, or in a heading. Prose is for readers to judge. `node scripts/words.mjs FILE...` looks at these files alone.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from '@swc/core'

/** Words that were names here once, or ways of speaking about data, each with what to write instead. */
const banned = new Map([
  ['asked', 'requested, the request context'],
  ['cargo', 'inline rows'],
  ['chore', 'job, maintenance'],
  ['chores', 'jobs, maintenance'],
  ['condemn', 'stop on a failure'],
  ['crew', 'worker pool'],
  ['desk', 'request engine'],
  ['disown', 'release'],
  ['door', 'server, service, front end'],
  ['doors', 'servers, services, front ends'],
  ['guest', 'what it is'],
  ['guests', 'what they are'],
  ['kin', 'siblings'],
  ['makings', 'layout parts'],
  ['nobody', 'anonymous, unknown, none'],
  ['said', 'annotations, what was written'],
  ['saying', 'what it returns'],
  ['say', 'report, send, print'],
  ['says', 'what it holds'],
  ['tell', 'notify, report, send'],
  ['tells', 'what it reports'],
  ['told', 'notified, reported'],
  ['viewpoint', 'read scope'],
  ['vouch', 'write the witness'],
  ['whoever', 'the caller, the owner'],
  ['wish', 'seed'],
  ['wishes', 'seeds'],
])

const root = fileURLToPath(new URL('..', import.meta.url))

function ownFiles() {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  // One that was removed is listed until that is committed.
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)))
}

const given = process.argv.slice(2)
const paths = given.length > 0 ? given : ownFiles()
const text = (path) => readFileSync(resolve(root, path), 'utf8')

/** `said-headers.ts`, `saidHeaders` and `SAID_HEADERS` are the same words. */
const wordsOf = (name) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)

const findings = []
const look = (where, name) => {
  for (const word of wordsOf(name)) {
    if (banned.has(word)) findings.push(`${where}: "${word}" in ${name}; better: ${banned.get(word)}`)
  }
}

/** Every name in a syntax tree; each once a file. */
function identifiersOf(node, found = new Set()) {
  if (Array.isArray(node)) for (const one of node) identifiersOf(one, found)
  else if (typeof node === 'object' && node !== null) {
    if ((node.type === 'Identifier' || node.type === 'PrivateName') && typeof node.value === 'string')
      found.add(node.value)
    for (const part of Object.values(node)) identifiersOf(part, found)
  }
  return found
}

for (const path of paths) {
  look(path, given.length > 0 ? basename(path) : path)
  if (/\.(ts|tsx|mts|js|mjs|cjs)$/.test(path)) {
    const syntax = /tsx?$/.test(path) ? 'typescript' : 'ecmascript'
    const tree = parseSync(text(path), { syntax, tsx: path.endsWith('x'), target: 'es2022' })
    for (const name of identifiersOf(tree)) look(path, name)
  }
  if (path.endsWith('.md') && path !== 'CHANGELOG.md') {
    for (const line of text(path).split('\n')) if (/^#{1,6} /.test(line)) look(path, line)
  }
}
if (findings.length > 0) {
  console.error(findings.join('\n'))
  console.error(`${findings.length} private words. docs/glossary.md has the field's.`)
  process.exitCode = 1
}
