/**
 * What the documents show is compiled and run: all TypeScript blocks of a page are one program, run in an empty
 * directory against the package `varve` as it is published.
 */
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compiledPages, pages } from './snippet-pages.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const programs = fileURLToPath(new URL('../dist/snippets', import.meta.url))
/** Node finds the dependencies of what lies here, and no tool reads it. */
const place = join(root, 'node_modules/.cache')
const compilerOptions = [
  '--ignoreConfig',
  '--strict',
  '--target',
  'es2023',
  '--module',
  'nodenext',
  '--types',
  'node',
  '--skipLibCheck',
]

const programOf = (page: string): string => join(programs, `${page.replaceAll(/\W/g, '-')}.mts`)

/** Bundles are loaded in a third of the time of the build's modules. */
async function stageVarve(folder: string): Promise<void> {
  const packing = (await import(join(root, 'scripts/pack.mjs'))) as {
    stageModules(name: string, folder: string): Promise<void>
  }
  await packing.stageModules('varve', folder)
}

/** Compiles all pages at once, which takes a third of the time. Resolves with the complaints. */
async function compileAll(out: string): Promise<string> {
  await mkdir(programs, { recursive: true })
  for (const page of compiledPages) await writeFile(programOf(page), codeOf(await readFile(join(root, page), 'utf8')))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const files = compiledPages.map(programOf)
  const compiling = run(process.execPath, [tsc, ...compilerOptions, '--outDir', out, ...files], { cwd: root })
  return compiling.then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
}

describe('the code in the documents', () => {
  let staged: string
  let complaints: string
  beforeAll(async () => {
    await mkdir(place, { recursive: true })
    staged = await mkdtemp(join(place, 'varve-docs-'))
    await stageVarve(staged)
    complaints = await compileAll(join(staged, 'pages'))
  })
  afterAll(() => rm(staged, { recursive: true, force: true }))

  it.each(pages)(
    'of $page compiles and does what the page claims',
    async ({ page, prints, printsAgain }) => {
      const program = programOf(page)
      const compiled = join(staged, 'pages', basename(program).replace(/mts$/, 'mjs'))
      expect(complaints.split('\n').filter((line) => line.includes(basename(program)))).toEqual([])
      const directory = await mkdtemp(join(tmpdir(), 'varve-docs-'))
      try {
        await copyFile(join(root, 'README.md'), join(directory, 'README.md'))
        for (const printed of printsAgain === undefined ? [prints] : [prints, printsAgain]) {
          const { stdout } = await run(process.execPath, [compiled], { cwd: directory })
          for (const text of printed) expect(stdout).toContain(text)
        }
      } finally {
        await rm(directory, { recursive: true, force: true })
      }
    },
    60_000,
  )

  it('compiles without any complaint', () => {
    expect(complaints).toBe('')
  })
})

/** The TypeScript blocks of a page, its imports first. */
function codeOf(markdown: string): string {
  const blocks = [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1] as string)
  const lines = blocks.join('\n').split('\n')
  const isImport = (line: string) => line.startsWith('import ')
  return [...lines.filter(isImport), ...lines.filter((line) => !isImport(line))].join('\n')
}
