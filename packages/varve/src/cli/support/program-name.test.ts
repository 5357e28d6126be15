/** Commands that are printed begin with what started the process, and reach the same store. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { scratchDirectory } from '../../scratch-directory.fixture.ts'
import { examples } from './examples.ts'
import { commandOn, programName, type Started, withProgramName } from './program-name.ts'

const scratch = scratchDirectory()
afterEach(() => vi.unstubAllEnvs())

/** A project with the package, as npm installs it. */
function project() {
  const root = scratch.next()
  const [script, bin] = [join(root, 'node_modules/varve/bin/varve.js'), join(root, 'node_modules/.bin')]
  mkdirSync(join(root, 'node_modules/varve/bin'), { recursive: true })
  mkdirSync(bin)
  writeFileSync(script, '')
  symlinkSync('../varve/bin/varve.js', join(bin, 'varve'))
  return { root, script, bin, link: join(bin, 'varve') }
}

const started = (root: string, script: string, env: Started['env'] = {}, execPath = '/usr/bin/node'): Started => ({
  argv: [execPath, script],
  execPath,
  env,
  platform: 'linux',
  cwd: () => root,
})

describe('the name of the program', () => {
  it('is its own where a shell finds it, through a link or not', () => {
    const { root, script, bin, link } = project()
    for (const path of [script, link])
      expect(programName(started(root, path, { PATH: `/nowhere:${bin}` }))).toBe('varve')
  })

  it('is not its own if a shell finds another program by that name', () => {
    const [first, other] = [project(), project()]
    expect(programName(started(first.root, first.script, { PATH: `${other.bin}:${first.bin}` }))).not.toBe('varve')
  })

  it('names npx if that started it, whose path a shell does not have', () => {
    const { root, link, bin } = project()
    const env = { PATH: bin, npm_command: 'exec', npm_lifecycle_event: 'npx' }
    expect(programName(started(root, link, env))).toBe('npx varve')
  })

  it('names the script if a script of npm, or Node itself, started it', () => {
    const { root, script, link, bin } = project()
    const byNpm = { PATH: bin, npm_command: 'start', npm_lifecycle_event: 'start' }
    expect(programName(started(root, script, byNpm))).toBe('node node_modules/varve/bin/varve.js')
    expect(programName(started(root, script, { PATH: '/usr/bin' }))).toBe('node node_modules/varve/bin/varve.js')
    expect(programName(started(root, link))).toBe('node node_modules/.bin/varve')
    expect(programName(started(join(root, 'node_modules'), script))).toBe('node varve/bin/varve.js')
  })

  it('has the whole path from a directory that is not above, and quotes it', () => {
    const { script } = project()
    expect(programName(started('/', script, {}))).toBe(`node ${script.slice(1)}`)
    expect(programName(started('/nowhere', script, {}))).toBe(`node ${script}`)
    expect(programName(started('/nowhere', '/my files/varve.js', {}))).toBe("node '/my files/varve.js'")
  })

  it('names the runtime', () => {
    expect(programName(started('/', '/a/varve.js', {}, '/opt/bun'))).toBe('bun a/varve.js')
    expect(programName(started('/', '/a/varve.js', {}, '/opt/deno'))).toBe('deno run --allow-all a/varve.js')
  })

  it('is its own in another program', () => {
    expect(programName(started('/', '/a/vitest.mjs'))).toBe('varve')
    expect(programName({ ...started('/', ''), argv: ['node'] })).toBe('varve')
  })
})

describe('a printed command', () => {
  it('reaches the store that the command reached', () => {
    const dir = './varve-data'
    expect(commandOn('undo', { dir })).toBe('varve undo')
    expect(commandOn('undo', { dir: './my data' })).toBe("varve undo --dir './my data'")
    const endpoint = new URL('http://127.0.0.1:9000/')
    expect(commandOn('undo', { dir, endpoint })).toBe('varve undo --endpoint http://127.0.0.1:9000')
    vi.stubEnv('VARVE_DIR', './other')
    expect(commandOn('undo', { dir })).toBe('varve undo --dir ./varve-data')
  })

  it('is found in texts of libraries, and no name of an object is', () => {
    const argv = [...process.argv]
    process.argv[1] = '/opt/varve.js'
    vi.stubEnv('npm_command', 'run-script')
    const text = withProgramName(
      '`varve migrate`, with varve journal upgrade. "varve log" s3://a/varve log, a varve store',
    )
    process.argv.splice(0, process.argv.length, ...argv)
    expect(text).toMatch(
      /^`node \S+ migrate`, with node \S+ journal upgrade\. "varve log" s3:\/\/a\/varve log, a varve store$/,
    )
  })
})

/** Texts of the help and of errors that name a command of the manual, and are no command to type. */
const mentions = [
  'TOML or JSON file of options: varve config check looks at it',
  'Configuration of varve serve',
  'the options of varve serve, from a file',
  'the value of each option of varve serve and where',
  'until varve promote makes it an ordinary store',
  'check a proof of varve prove, a receipt',
  'as varve log-key shows it, or @file',
  'for a proof of varve checkpoint --consistent-with',
  '--content is for a proof of varve prove.',
  'what it has committed stays, and "varve undo" takes it back',
  'varve backups has the commands show and verify',
  'varve mcp needs a package that is not installed',
]

it('no text of a command has the name of the program in it', () => {
  const words = [...new Set(Object.keys(examples).map((path) => path.split(' ')[0]))].join('|')
  const named = new RegExp(`(?<![\\w./@-])varve (?:${words}|--help)(?![\\w-])`)
  const found: string[] = []
  for (const folder of ['..', '../../mcp']) {
    const top = join(import.meta.dirname, folder)
    for (const path of readdirSync(top, { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.ts') || /\.(test|fixture)\.ts$|support\/examples\.ts$/.test(path)) continue
      const lines = readFileSync(join(top, path), 'utf8').split('\n')
      // The name is put into hints when they are shown.
      const code = lines.filter((line) => !/^\s*(\/\*\*|\*|\/\/)|\bhint:/.test(line))
      found.push(...code.filter((line) => named.test(line) && !mentions.some((text) => line.includes(text))))
    }
  }
  expect(found).toEqual([])
})
