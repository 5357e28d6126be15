/**
 * Runs what is not bound to one layout on each of them: the tests of the S3 server, those against the reference model, kills,
 * and the short forms of the real faults.
 *
 *     npm run suite layouts                          all below
 *     npm run suite layouts -- sqlite+files memory   these, of every journal with every kind of blobs there is
 *     npm run suite layouts -- --only power sqlite+files
 *
 * `<journal>+inline` is a store whose bytes all ride in the journal; `memory` has no faults to meet, and the tests against the model
 * have stores in memory anyway. `postgres+s3` needs PostgreSQL, and is run only when it is named. Ends with 1 when anything failed.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startSharedServers } from './cluster/shared-servers.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const usual = [
  'memory',
  'level+files',
  'level+inline',
  'level+segments',
  'level+tiered',
  'segments+files',
  'segments+tiered',
  'lmdb+files',
  'sqlite+files',
]

const vitest = (...args) => [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--testTimeout=120000', ...args]
const fault = (name, ...args) => [join(root, `test/dist/faults/${name}/main.js`), ...args]
const setUps = ['--on', 'ext4', '--on', 'xfs', '--on', 'xfs+ext4']
const shortages = ['few bytes left, tmpfs', 'no bytes left, ext4', 'no files left', 'files of 1 KiB at most']

const isShared = (layout) => layout === 'postgres+s3'
/** Workers need a directory. */
const ofOneProcess = ['seed', 'wire', 'recorded', 'clients'].map((folder) => `test/acceptance/${folder}`)

/** What is run for a layout: arguments of Node. */
const suites = {
  service: (layout) => vitest(...(isShared(layout) ? ofOneProcess : ['test/acceptance'])),
  model: (layout) => vitest('test/model/runs', ...(isShared(layout) ? [] : ['test/model/worker-histories'])),
  kill: () => vitest('test/faults/kill'),
  power: (layout) => fault('power', '--cuts', '9', ...setUps, '--layout', layout),
  syscalls: (layout) => fault('syscalls', '--kills', '8', '--layout', layout),
  device: (layout) => fault('device', '--rounds', '4', '--layout', layout),
  full: (layout) =>
    fault('full', ...of(layout), ...shortages.flatMap((name) => ['--shortage', name]), '--layout', layout),
}
/** Their faults are those of a directory. */
const ofDirectories = ['kill', 'power', 'syscalls', 'device', 'full']
const lasting = ['model', ...ofDirectories]
/** A server has no option for how many bytes are stored inline in the journal. */
const of = (layout) => (layout.endsWith('+inline') ? ['--of', 'library'] : [])

const { values, positionals } = parseArgs({
  options: { only: { type: 'string', multiple: true, default: Object.keys(suites) } },
  allowPositionals: true,
})
const unknown = values.only.find((name) => !(name in suites))
if (unknown !== undefined) throw new TypeError(`There is no ${unknown}: suites are ${Object.keys(suites).join(', ')}.`)

const results = []
for (const layout of positionals.length > 0 ? positionals : usual) {
  const shared = isShared(layout) ? await startSharedServers() : undefined
  for (const name of values.only) {
    if (layout === 'memory' && lasting.includes(name)) continue
    if (shared !== undefined && ofDirectories.includes(name)) continue
    console.log(`== ${name} on ${layout}`)
    const began = performance.now()
    const env = { ...process.env, VARVE_LAYOUT: layout, ...shared?.env }
    const { status } = spawnSync(process.execPath, suites[name](layout), { cwd: root, stdio: 'inherit', env })
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    results.push(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} on ${layout}, ${seconds} s`)
    if (status !== 0) process.exitCode = 1
  }
  await shared?.stop()
}
console.log(results.join('\n'))
