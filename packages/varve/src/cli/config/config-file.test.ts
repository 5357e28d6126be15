import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveOptions } from '../serve/serve-command.ts'
import { problemText, readConfig } from './config-file.ts'
import { configurable } from './config-option.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'varve-config-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function read(name: string, text: string | Uint8Array) {
  const file = join(folder, name)
  await writeFile(file, text)
  const { settings, problems } = await readConfig(file, configurable(serveOptions()))
  return {
    values: Object.fromEntries(settings.map(({ option, value }) => [option.attributeName(), value])),
    problems: problems.map((problem) => problemText('f', problem)),
  }
}

describe('a configuration file', () => {
  it('has the values of options as their own parsers read them', async () => {
    const toml =
      'port = 0\r\ngrace = "2min"\nscrub = "10MiB"\nhost-suffix = [\n  "A.example", # one\n  "b,c",\n]\nconsole = false\nmetrics = true'
    const json =
      '{"port":0,"grace":"2min","scrub":10485760,"host-suffix":["a.example","b","c"],"console":false,"metrics":true}'
    const values = {
      port: 0,
      grace: 120_000,
      scrub: 10 * 1024 ** 2,
      hostSuffix: ['a.example', 'b', 'c'],
      console: false,
      metrics: true,
    }
    expect(await read('a.toml', toml)).toEqual({ values, problems: [] })
    expect(await read('a.json', json)).toEqual({ values, problems: [] })
    expect(await read('bom.json', `\uFEFF${json}`)).toEqual({ values, problems: [] })
  })

  it('names files beside itself', async () => {
    const { values } = await read('paths.toml', 'identities = "who.json"\ndir = "/data"')
    expect(values).toEqual({ identities: join(folder, 'who.json'), dir: '/data' })
  })

  it('may be empty, and name its schema', async () => {
    expect(await read('empty.toml', '')).toEqual({ values: {}, problems: [] })
    expect(await read('schema.json', '{"$schema":"config.schema.json"}')).toEqual({ values: {}, problems: [] })
  })

  it('shows all its mistakes at once, each with its place', async () => {
    const text = `port = "nine"
regoin = "eu"
  tls_cert = "a"
grace = "5 s"
grace = "5s"
workers =
host = """
unclosed? no
"""
dialect = 2026-01-01
scrub = 0
host-suffix = ["a", 5]
region = ""
layout = "none"
[section]
port = 5
`
    expect((await read('wrong.toml', text)).problems).toEqual([
      'f:1:1: port must be a whole number from 0 to 65535, not a text',
      'f:2:1: there is no field "regoin"; did you mean region?',
      'f:3:3: there is no field "tls_cert"; did you mean tls-cert?',
      'f:4:1: grace is refused: A duration is 0 or a number with ms, s, min, h, d or w, such as 7d.',
      'f:5:1: grace was set before, in line 4',
      'f:6:10: this is not TOML: invalid value',
      'f:10:1: dialect must be one of neutral, aws, not Date',
      expect.stringMatching(/^f:11:1: scrub is refused: It is a number of bytes above 0/),
      'f:12:1: host-suffix[1] must be a string, not the number 5',
      'f:13:1: region must be a text, not an empty text',
      expect.stringMatching(/^f:14:1: layout must be one of level\+files/),
      'f:15:1: there is no field "section"',
    ])
  })

  it.each([
    ['{"port":1,"port":2}', ['f:1:11: port was set before, in line 1']],
    ['{\n "port": 1,\n}', ['f:3:1: this is not JSON: Unexpected token RBrace found.']],
    ['{"port":9.5}', ['f:1:2: port must be a whole number from 0 to 65535, not the number 9.5']],
    ['[]', ['f:1:1: the file must be one object']],
    ['', ['f:1:1: this is not JSON: Unexpected end of input found.']],
    [
      '{"__proto__":1,"constructor":2}',
      ['f:1:2: there is no field "__proto__"', 'f:1:16: there is no field "constructor"'],
    ],
  ])('shows what is wrong with %j', async (text, problems) => {
    expect((await read('wrong.json', text)).problems).toEqual(problems)
  })

  it.each(['a = [1,\nport = 5', 'a = """\nport = 5\n', 'port = 5 6', '= 5', 'a = {b = 1\n}', 'a.b = 1\n[a]'])(
    'shows a place for every mistake of %j',
    async (text) => {
      const { problems } = await read('broken.toml', text)
      expect(problems.length).toBeGreaterThan(0)
      expect(problems.join('\n')).toMatch(/^f:[12]:\d+: /)
    },
  )

  it('ends soon with a file of nothing but mistakes', async () => {
    expect((await read('many.toml', 'a = """\n'.repeat(20_001))).problems.length).toBe(100)
    expect((await read('open.toml', 'a = [\n'.repeat(20_000))).problems).toHaveLength(20)
  })

  it.each([
    ['a.yaml', 'port: 1', 'must end in .toml or .json'],
    ['bytes.toml', Uint8Array.of(0xff), 'is not UTF-8'],
    ['large.toml', '#'.repeat(1024 ** 2 + 1), 'may have 1048576'],
  ])('is refused as %s when it cannot be one', async (name, text, problem) => {
    await expect(read(name, text)).rejects.toThrow(problem)
  })

  it('is refused when it cannot be read', async () => {
    const missing = readConfig(join(folder, 'missing.toml'), [])
    await expect(missing).rejects.toMatchObject({
      code: 'InvalidArgument',
      message: expect.stringContaining('ENOENT') as string,
    })
    await expect(readConfig(`${folder}/x.json`, [])).rejects.toThrow('cannot be read')
  })
})
