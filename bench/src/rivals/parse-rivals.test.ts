import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { overHttp } from '../workloads/over-http.ts'
import { inProcess } from '../workloads/in-process.ts'
import { UsageError } from '../basics/usage-error.ts'
import { parseRivals } from './parse-rivals.ts'
import { takesPart } from './rival.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const parse = (...rivals: readonly unknown[]) => parseRivals(join(here, 'rivals.json'), JSON.stringify(rivals))
const server = { name: 'one', about: 'a server', command: ['node', '{here}/one.js', '{port}'] }
const store = { name: 'two', about: 'a module', module: 'rival.ts' }
const onLinux = it.skipIf(process.platform !== 'linux')
if (process.platform !== 'linux') console.log('Skipped: what a program uses is told by /proc, which is not here.')

describe('a file of rivals', () => {
  onLinux('starts a server by a command, beside the file or of the system', () => {
    const { rivals, absent } = parse(server)
    expect(absent).toEqual([])
    expect(rivals).toMatchObject([
      {
        kind: 'server',
        command: ['node', `${here.slice(0, -1)}/one.js`, '{port}'],
        credentials: { region: 'us-east-1' },
      },
    ])
  })

  it('takes a module for a store in process', () => {
    expect(parse(store).rivals).toMatchObject([{ kind: 'module', module: pathToFileURL(join(here, 'rival.ts')).href }])
  })

  it('lists rivals that cannot run on this machine, with what is missing', () => {
    const needing = { ...store, name: 'three', needs: ['node', './parse-rivals.ts', '$PATH', '$NO_SUCH_NAME'] }
    const { rivals, absent } = parse(store, { ...store, name: 'far', module: 'far.js' }, needing)
    expect(rivals.map(({ name }) => name)).toEqual(['two'])
    expect(absent).toEqual([
      { name: 'far', missing: './far.js' },
      { name: 'three', missing: '$NO_SUCH_NAME' },
    ])
  })

  it('leaves a rival out of the workloads it lacks', () => {
    const [rival] = parse({ ...store, lacks: { 'put-*': 'slow', 'get-1m': 'slower' } }).rivals
    const part = [...inProcess, ...overHttp].filter((workload) => rival && takesPart(rival, workload))
    const names = part.map(({ name }) => name)
    expect(names).toContain('get-4k')
    for (const beyond of ['put-4k-16', 'get-1m', 'versions', 'http-get-4k']) expect(names).not.toContain(beyond)
  })

  it.each([
    ['no list', '{}', 'no list'],
    ['no JSON', '[', 'not JSON'],
    ['no object', '[7]', 'rival 1 is no JSON object'],
    ['a name that is none', JSON.stringify([{ ...store, name: 'a b' }]), 'no name'],
    ['a name twice', JSON.stringify([store, store]), 'names two twice'],
    ['no words', JSON.stringify([{ ...store, about: '' }]), 'no text as about'],
    ['an unknown field', JSON.stringify([{ ...store, color: 'red' }]), 'has a field color'],
    ['neither command nor module', JSON.stringify([{ name: 'x', about: 'x' }]), 'either a command or a module'],
    ['both', JSON.stringify([{ ...store, command: ['x'] }]), 'either a command or a module'],
    ['an empty command', JSON.stringify([{ ...server, command: [] }]), 'empty command'],
    ['a command in one piece', JSON.stringify([{ ...server, command: 'node x' }]), 'no list as command'],
    ['environment of numbers', JSON.stringify([{ ...server, env: { A: 1 } }]), 'no text as env.A'],
    ['odd credentials', JSON.stringify([{ ...server, credentials: { key: 'x' } }]), 'credentials with key'],
  ])('is refused with %s', (_, text, why) => {
    const refused = () => parseRivals('rivals.json', text)
    expect(refused).toThrow(UsageError)
    expect(refused).toThrow(why)
  })
})
