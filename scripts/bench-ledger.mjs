/**
 * Measures two layouts of Varve and adds the figures to the ledger of releases in bench/ledger:
 *
 *     npm run suite bench-ledger -- --label MACHINE [--dir DIR] [--note TEXT]
 *
 * Other arguments go to `varve bench` too. The scale stays the same from release to release, because figures of another amount of
 * work cannot be compared. The tree must be as a commit has it, since the entry names that commit.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const cwd = fileURLToPath(new URL('..', import.meta.url))
const git = (...args) => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim()

// Entries of other machines may wait to be committed.
const changed = git('status', '--porcelain', '--', '.', ':!bench/ledger')
if (changed !== '') {
  console.error(`Commit these changes first, for the entry names a commit:\n${changed}`)
  process.exit(2)
}
const usual = ['--layout', 'level+files,segments+tiered', '--scale', '0.2', '--out', 'bench/results']
const ledger = ['--ledger', 'bench/ledger', '--commit', git('rev-parse', 'HEAD')]
const bench = ['packages/varve/bin/varve.js', 'bench', ...usual, ...ledger, ...process.argv.slice(2)]
process.exitCode = spawnSync(process.execPath, bench, { cwd, stdio: 'inherit' }).status ?? 1
