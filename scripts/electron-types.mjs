/**
 * Checks the Electron example, and the names that the stand-in of its tests has, against the types of the release of Electron that it
 * names. The package is fetched without its binary, which is what makes it large.
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
  const common = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable', 'esnext.disposable'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
    paths: { electron: [join(scratch, 'package', 'electron.d.ts')] },
  }
  const check = (name, compilerOptions, include) => {
    const file = join(scratch, `${name}.json`)
    writeFileSync(file, JSON.stringify({ compilerOptions: { ...common, ...compilerOptions }, include }))
    execFileSync('npx', ['tsc', '-p', file], { cwd: root, stdio: 'inherit' })
  }
  const javascript = { noImplicitAny: false, useUnknownInCatchVariables: false, checkJs: true }
  const programs = ['main/*.mjs', 'store/*.mjs', 'preload.cjs'].map((name) => join(example, name))
  check('programs', javascript, programs)
  // With the types of streams of Node alone, and not those of pages.
  check('minimal', { ...javascript, lib: ['es2024', 'esnext.disposable'] }, [join(example, 'minimal/*.mjs')])
  const strict = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
  check('typescript', strict, [join(example, 'typescript/*.ts'), join(example, 'typescript/*.cts')])
  writeFileSync(join(scratch, 'names.mts'), namesChecked())
  check('names', { allowImportingTsExtensions: true }, [join(scratch, 'names.mts')])
  console.log(`The Electron example agrees with the types of Electron ${electron}.`)
} catch (error) {
  if (error.status === undefined) throw error
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** A program that compiles if Electron has all names of the stand-in. */
function namesChecked() {
  const tables = join(root, 'test/examples/electron-names.ts')
  return `import type * as electron from 'electron'
import { electronNames, electronOptions, pathNames } from '${tables}'

type Names<Tables> = { readonly [Kind in keyof Tables]: Kind extends keyof Known ? readonly (keyof Known[Kind])[] : never }
type Known = ${known()}

electronNames satisfies Names<typeof electronNames>
electronOptions satisfies Names<typeof electronOptions>
pathNames satisfies readonly Parameters<electron.App['getPath']>[0][]

declare const app: electron.App
declare const child: electron.UtilityProcess
declare const contents: electron.WebContents
const listener = () => undefined
${eventsChecked()}
`
}

/** The kinds that the tables name, as Electron declares them. */
function known() {
  const kinds = [...tableText().matchAll(/^ {2}(\w+): \[/gm)].map(([, kind]) => kind)
  return `{ ${[...new Set(kinds)].map((kind) => `${kind}: electron.${kind}`).join('; ')} }`
}

function tableText() {
  return readFileSync(join(root, 'test/examples/electron-names.ts'), 'utf8')
}

/** One listener for each event, because events are overloads of a method. */
function eventsChecked() {
  const table = /electronEvents = \{([\s\S]*?)\n\} as const/.exec(tableText())?.[1] ?? ''
  const variables = { App: 'app', UtilityProcess: 'child', WebContents: 'contents' }
  return [...table.matchAll(/(\w+): \[(.*)\]/g)]
    .flatMap(([, kind, names]) => names.split(', ').map((name) => `${variables[kind]}.on(${name}, listener)`))
    .join('\n')
}
