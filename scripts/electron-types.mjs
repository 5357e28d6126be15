/**
 * Checks the Electron example against the types of the release of Electron that it names. The package is fetched without
 * its binary, which is what makes it large.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const example = join(root, 'examples', 'electron')
const { electron } = JSON.parse(readFileSync(join(example, 'package.json'), 'utf8')).devDependencies
const scratch = mkdtempSync(join(tmpdir(), 'varve-electron-types-'))
const run = (program, args, cwd) =>
  execFileSync(program, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] }).toString()

try {
  const archive = run('npm', ['pack', `electron@${electron}`, '--silent'], scratch)
    .trim()
    .split('\n')
    .at(-1)
  run('tar', ['xzf', archive, 'package/electron.d.ts'], scratch)
  const settings = {
    compilerOptions: {
      strict: true,
      noImplicitAny: false,
      checkJs: true,
      noEmit: true,
      skipLibCheck: true,
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2024', 'dom', 'dom.iterable'],
      types: ['node'],
      typeRoots: [join(root, 'node_modules', '@types')],
      paths: { electron: [join(scratch, 'package', 'electron.d.ts')] },
    },
    include: ['main/*.mjs', 'store/*.mjs', 'preload.cjs'].map((name) => join(example, name)),
  }
  writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify(settings))
  execFileSync('npx', ['tsc', '-p', scratch], { cwd: root, stdio: 'inherit' })
  console.log(`The Electron example agrees with the types of Electron ${electron}.`)
} catch (error) {
  if (error.status === undefined) throw error
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
