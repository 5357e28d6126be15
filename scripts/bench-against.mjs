/**
 * Processor time of a server for each request, of this tree and of another commit, in turns:
 *
 *     npm run suite bench-against -- COMMIT [--rounds 25]
 *
 * The commit is checked out, installed and built in a folder of its own under the system's temporary folder, which is kept for the
 * next time: remove `varve-against-*` to be rid of it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [commit, ...args] = process.argv.slice(2)
if (commit === undefined) {
  console.error('Usage: npm run suite bench-against -- COMMIT [--rounds 25]')
  process.exit(2)
}

const resolved = call('git', ['rev-parse', '--verify', '--short', `${commit}^{commit}`], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const name = resolved.stdout.toString().trim()
const folder = join(tmpdir(), `varve-against-${name}`)
if (!existsSync(join(folder, 'packages/varve/dist'))) {
  call('git', ['clone', '--quiet', '--no-checkout', root, folder])
  call('git', ['checkout', '--quiet', name], { cwd: folder })
  call('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder })
  call('npm', ['run', '-s', 'build'], { cwd: folder })
}
call(process.execPath, [join(root, 'bench/dist/scale/compare-trees.js'), folder, ...args])

/** Ends the process when the program fails. */
function call(program, given, options = {}) {
  const done = spawnSync(program, given, { stdio: 'inherit', ...options })
  if (done.status !== 0) process.exit(done.status ?? 1)
  return done
}
