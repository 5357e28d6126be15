/**
 * Runs `test/consumers/app` with the packed packages on Bun, Deno, Node 20, 22 and 24. Their binaries come from npm, 500 MB, so this is
 * no part of `npm test`, which runs it on those that the machine has.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install, installPacked } from './pack/install.mjs'

const bun = '1.4.5'
const deno = '2.9.6'
const printed = 'a small cat 403 true\n'

const systems = { linux: 'linux', darwin: 'darwin', win32: 'windows' }
const bunPackage = `@oven/bun-${systems[process.platform]}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`
const denoPackage = `@deno/${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`
const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const nodes = [20, 22, 24].map((major) => ({
  name: `Node ${major}`,
  packageName: `${nodePackage}-${major}@npm:${nodePackage}@${major}`,
  binary: join(`${nodePackage}-${major}`, 'bin/node'),
  args: [],
}))
const runtimes = [
  ...nodes,
  { name: 'Bun', packageName: `${bunPackage}@${bun}`, binary: join(bunPackage, 'bin/bun'), args: [] },
  {
    name: 'Deno',
    packageName: `${denoPackage}@${deno}`,
    binary: join(denoPackage, 'deno'),
    args: ['run', '--allow-all'],
  },
]

const scratch = mkdtempSync(join(tmpdir(), 'varve-runtimes-'))
try {
  const project = await installPacked(scratch)
  const app = join(project, 'app.mjs')
  cpSync(fileURLToPath(new URL('../test/consumers/app/app.mjs', import.meta.url)), app)
  install(
    join(scratch, 'runtimes'),
    runtimes.map(({ packageName }) => packageName),
  )
  for (const runtime of runtimes) run(runtime, app)
} finally {
  rmSync(scratch, { recursive: true })
}

function run({ name, binary, args }, app) {
  const found = [binary, `${binary}.exe`].map((path) => join(scratch, 'runtimes/node_modules', path)).find(existsSync)
  if (found === undefined) throw new Error(`npm has no ${name} for this machine.`)
  const { stdout, stderr } = spawnSync(found, [...args, app, join(scratch, `store-of-${name}`)], { encoding: 'utf8' })
  const passed = stdout === printed
  console.log(`${name}: ${passed ? 'ok' : `failed\n${stdout}${stderr}`}`)
  if (!passed) process.exitCode = 1
}
