/** Installs the stores of others that bench/rivals lists, and measures two layouts of Varve beside them. Arguments go to `varve bench`. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const options = { cwd: fileURLToPath(new URL('..', import.meta.url)), stdio: 'inherit' }
const installed = spawnSync('npm', ['install', '--prefix', 'bench/rivals', '--no-audit', '--no-fund'], options)
const bench = ['packages/varve/bin/varve.js', 'bench', '--rivals', 'bench/rivals/rivals.json']
const usual = ['--layout', 'level+files,segments+tiered', '--out', 'bench/results']
process.exitCode =
  installed.status === 0
    ? spawnSync(process.execPath, [...bench, ...usual, ...process.argv.slice(2)], options).status
    : installed.status
