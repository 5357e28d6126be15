/** Taste, automated: limits are a prompt to find the second concept in a file, not a number to argue with. */
import { describe, expect, it } from 'vitest'
import { files, findLines, isCode, isPage, isSource, isTest, read, report } from './tree.ts'

const linesMax = 300
const linesWarn = 250
const testLinesMax = 500

const leftover = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X'.repeat(3), 'HA' + 'CK'].join('|')})\\b`)
const silenced =
  /(oxlint|eslint|tslint)-disable|(biome|prettier|knip)-ignore|(v8|c8|istanbul) ignore|@ts-(ignore|nocheck|expect-error)/
const focused = /\b(it|test|describe|suite)(\.\w+)*\.only\b|\b(fit|fdescribe)\(/
const skipped = /\b(it|test|describe|suite)(\.\w+)*\.(skip|skipIf|runIf|todo|fails)\b|\b(xit|xdescribe)\(|\.skip\(\s*\)/

/** Calls that fail while another program has the file open for a moment: `patient-files.ts` has them. */
const impatient =
  /^import .*\b(chmod|copyFile|link|mkdir|mkdtemp|open|opendir|readdir|readFile|rename|rm|rmdir|symlink|unlink|writeFile)\b.* from 'node:fs\/promises'/
const machineFiles: ReadonlySet<string> = new Set([
  'packages/adapters/src/files/node-file-system.ts',
  'packages/adapters/src/files/patient-files.ts',
  // It reads what the kernel shows below /proc.
  'packages/adapters/src/store-directory/lock/name-holder.ts',
])

const mustBePatient = (path: string): boolean =>
  /^packages\/(adapters|varve)\/src\/(?!.*\.fixture\.ts$)/.test(path) && !machineFiles.has(path)

const lineCount = (path: string): number => read(path).split('\n').length - 1
const longerThan = (paths: readonly string[], max: number): string[] =>
  paths.flatMap((path) => (lineCount(path) > max ? [`${path}: ${lineCount(path)} lines`] : []))

/** A test that does not run has a reason: a comment on its line or the one above, or the platform or the browser it names. */
function unexplained(text: string): { line: number; text: string }[] {
  const lines = text.split('\n')
  return findLines(text, skipped).filter(({ line }) => {
    const around = [lines[line - 2] ?? '', lines[line - 1] ?? ''].join('\n')
    return !/(\/\/|\*)\s*\S.{10,}|\.(skipIf|runIf)\((process\.platform [!=]== '|chromiumPath === undefined)/.test(
      around,
    )
  })
}

describe('sources', () => {
  const code = files.filter(isCode)
  const sources = code.filter((path) => isSource(path) && !isTest(path))
  const tests = code.filter(isTest)

  it('are found', () => {
    expect(sources.length).toBeGreaterThan(10)
    expect(tests).toContain('test/tidy/sources.test.ts')
  })

  it(`have at most ${linesMax} lines, tests ${testLinesMax}`, () => {
    const near = longerThan(sources, linesWarn)
    if (near.length > 0) console.warn(`Over ${linesWarn} lines, do they still hold one concept?\n${near.join('\n')}`)
    expect(longerThan(sources, linesMax)).toEqual([])
    expect(longerThan(tests, testLinesMax)).toEqual([])
  })

  it('are named in kebab case, so that a name is spelled one way', () => {
    const odd = code.filter((path) => !/^\.?[a-z0-9]+([-.][a-z0-9]+)*$/.test(path.slice(path.lastIndexOf('/') + 1)))
    expect(odd).toEqual([])
  })

  it('and pages leave nothing for later', () => {
    expect(report([...code, ...files.filter(isPage)], (text) => findLines(text, leftover))).toEqual([])
  })

  it('do not silence a checker; type tests may expect an error', () => {
    const found = report(code, (text, path) =>
      findLines(text, silenced).filter(({ text: line }) => !(isTest(path) && /\/\/ @ts-expect-error \S/.test(line))),
    )
    expect(found.filter((line) => !line.startsWith('test/tidy/'))).toEqual([])
  })

  it('write the heads of S3 answers in one file, which spells header names', () => {
    const writes = /\.(writeHead|setHeader|appendHeader)\(|HTTP\/1\.1 /
    const found = report(sources, (text, path) =>
      path.startsWith('packages/http/src/') ? findLines(text, writes) : [],
    )
    expect(new Set(found.map((line) => line.split(':')[0]))).toEqual(
      new Set(['packages/http/src/server/response-head.ts']),
    )
  })

  it('change and open files with further attempts, outside of the file system of the machine', () => {
    const found = report(sources, (text, path) => (mustBePatient(path) ? findLines(text, impatient) : []))
    expect(found).toEqual([])
  })

  it('have no focused test, and none skipped without a reason', () => {
    const own = (path: string) => path === 'test/tidy/sources.test.ts'
    const others = tests.filter((path) => !own(path))
    expect(report(others, (text) => findLines(text, focused))).toEqual([])
    expect(report(others, unexplained)).toEqual([])
  })
})

describe('the scanners', () => {
  it.each(["import { open } from 'node:fs/promises'", "import { type FileHandle, rm } from 'node:fs/promises'"])(
    'see %s',
    (line) => {
      expect(findLines(line, impatient)).toHaveLength(1)
      expect(findLines("import { lstat, readlink } from 'node:fs/promises'", impatient)).toEqual([])
    },
  )

  it.each([`// ${'TO'}${'DO'}: later`, `/* ${'FIX'}${'ME'} */`, `const x = 1 // ${'X'.repeat(3)}`])(
    'see %s',
    (line) => {
      expect(findLines(line, leftover)).toHaveLength(1)
    },
  )

  it.each(['it.only(', 'describe.only(', 'it.concurrent.only(', 'fit('])('see a focused %s', (line) => {
    expect(findLines(line, focused)).toHaveLength(1)
  })

  it('see a skipped test, and hear its reason', () => {
    expect(unexplained(`it.skip('x', () => {})`)).toHaveLength(1)
    expect(unexplained(`describe.skipIf(root)('x', () => {})`)).toHaveLength(1)
    expect(unexplained(`it.skipIf(process.platform === 'win32')('x', () => {})`)).toHaveLength(0)
    expect(unexplained(`it.skipIf(chromiumPath === undefined)('x', () => {})`)).toHaveLength(0)
    expect(unexplained(`// The superuser may read anything.\nit.skipIf(root)('x', () => {})`)).toHaveLength(0)
  })

  it.each(['// oxlint-disable-next-line', '// @ts-ignore', '/* v8 ignore next */', '// biome-ignore format: x'])(
    'see %s',
    (line) => {
      expect(findLines(line, silenced)).toHaveLength(1)
    },
  )
})
