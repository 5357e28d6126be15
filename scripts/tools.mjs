/**
 * Installs the tools of `tools/package.json`: what checks, packs and documents the packages, and the bundlers, test runners and
 * browser driver that the long tests use. They take more room than all else, so `npm ci` does not install them.
 *
 *     node scripts/tools.mjs                    installs them, unless they are installed as the lock names them
 *     node scripts/tools.mjs biome format .     installs them, and runs one
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const tools = join(root, 'tools')
const modules = join(tools, 'node_modules')
const stamp = join(modules, '.installed-lock')

/** Folders whose files import tools. Node looks for a package in `node_modules` of the folder of the file that imports it. */
const importers = ['scripts/api', 'site', 'test/console', 'test/deploy', 'test/package']

/** Installs the tools unless they are as the lock names them. @throws {Error} npm failed */
export function installTools() {
  const lock = createHash('sha256')
    .update(readFileSync(join(tools, 'package-lock.json')))
    .digest('hex')
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
    console.error('Installing the tools of tools/package.json.')
    const status = run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], tools)
    if (status !== 0) throw new Error(`npm ci in ${tools} failed with status ${status}.`)
    writeFileSync(stamp, lock)
  }
  for (const folder of importers) link(join(root, folder, 'node_modules'))
}

function link(path) {
  if (pointsToTools(path)) return
  rmSync(path, { recursive: true, force: true })
  // A junction needs no rights on Windows, but an absolute target. Elsewhere the checkout can be moved.
  if (process.platform === 'win32') symlinkSync(modules, path, 'junction')
  else symlinkSync(relative(dirname(path), modules), path)
}

function pointsToTools(path) {
  try {
    return resolve(dirname(path), readlinkSync(path)) === modules
  } catch {
    return false
  }
}

function run(program, args, cwd) {
  // npm passes its own settings to scripts. They would make it install into the root.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'npm_config_local_prefix'))
  const path = [join(modules, '.bin'), process.env.PATH].join(delimiter)
  const shell = process.platform === 'win32'
  const variables = { TURBO_TELEMETRY_DISABLED: '1', ...env, PATH: path }
  const { status, error } = spawnSync(program, args, { cwd, shell, stdio: 'inherit', env: variables })
  if (error !== undefined) console.error(error.message)
  return status ?? 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  installTools()
  const [program, ...args] = process.argv.slice(2)
  if (program !== undefined) process.exitCode = run(program, args, process.cwd())
}
