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

interface Page {
  readonly page: string
  readonly prints: readonly string[]
  /** What it prints when it runs again in the same directory. */
  readonly printsAgain?: readonly string[]
}

/** Pages with code, and what running it must print. */
const pages: readonly Page[] = [
  {
    page: 'README.md',
    prints: ['a small cat', '6 DeleteMarkerAdded local'],
    printsAgain: ['a small cat', 'DeleteMarkerAdded local'],
  },
  {
    page: 'docs/tutorial.md',
    prints: [
      'milk, bread\nmilk\ntoday: false\n',
      'DeleteMarkerAdded by Tidy agent\nremoved today/ideas\nremoved today/shopping\nadded tomorrow/call\n',
      'would bring back 2 notes\nmilk, bread\ncall Ada\n',
    ],
    printsAgain: ['milk, bread\nmilk\ntoday: false\n', 'would bring back 2 notes\nmilk, bread\ncall Ada\n'],
  },
  {
    page: 'docs/embedding.md',
    prints: ['papers Enabled', 'text/plain Ada', 'text\n', '2 false\ntrue\n', 'notes/', 'seen at once'],
  },
  { page: 'docs/objects.md', prints: ['closed', 'true\n', '1 [ { partNumber: 1, size: 8 } ]'] },
  { page: 'docs/serving.md', prints: ['http://127.0.0.1:'] },
  { page: 'docs/encryption.md', prints: ['with a key of mine', 'AES256'] },
  { page: 'docs/lifecycle.md', prints: ['a month of logs'] },
  { page: 'docs/keyspaces.md', prints: ['5 ready', 'letters: 1\nnotes: 2', 'true etag'] },
  {
    page: 'docs/following.md',
    prints: [
      '3 VersionAdded\n5 VersionRemoved',
      'index 2026/cat.png\nindex 2026/dog.txt',
      'ann/DAY 18',
      "[ '2026/dog.txt' ]",
      'a word with c: cat',
      'make bird.png\n',
      'left: undefined',
    ],
  },
  {
    page: 'docs/retention.md',
    prints: ['30 { percent: 10 } store', '1 RetentionSet local\n2 RetentionSet local', 'bucket\n', '0 0 true'],
    printsAgain: ['90 { bytes: 50000000000 } store'],
  },
  {
    page: 'docs/restoring.md',
    prints: ['changed letters/ann\nremoved letters/bob', 'add letters/ann, add letters/bob', '2 Dear Ann\n'],
  },
  { page: 'docs/undoing.md', prints: ['plan 1 1\nnotes 0 1\nthe plan\nnonsense'] },
  { page: 'docs/transactions.md', prints: ['20\nnot enough'] },
  {
    page: 'docs/attaching.md',
    prints: ['water the plants\n', '3 VersionAdded local\n4 VersionAdded local', 'water the plants, read the post\n'],
  },
  { page: 'docs/erasing.md', prints: ["1 [ 'live' ]", '1 0', 'site config.json true'] },
  {
    page: 'docs/testing.md',
    prints: ['a small cat\n0\n5\nundefined a hidden cat\n2026-01-02T00:00:00.000Z\n3 2\n'],
  },
  { page: 'docs/snapshots.md', prints: ['before\n'] },
  { page: 'docs/forks.md', prints: ['experiment\noriginal\n', '1 0\nbetter\n'] },
  { page: 'docs/observing.md', prints: ['3 events 1 request true {}', 'true\n'] },
  { page: 'docs/notifications.md', prints: ['4 ObjectCreated:Put cat.png'] },
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
  for (const { page } of pages) await writeFile(programOf(page), codeOf(await readFile(join(root, page), 'utf8')))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const files = pages.map(({ page }) => programOf(page))
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
