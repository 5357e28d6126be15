import { describe, expect, it } from 'vitest'
import { type Operation, unexplained } from './linearizable.ts'

/** `put a 1-4`: called at 1, returned at 4. */
function operation(text: string, client: number): Operation {
  const [, kind, value, expected, called, returned, answer] =
    /^(\w+) ?(\w+)?(?: over (\w+))? (\d+)-(\d+|never)(?: → (\w+))?$/.exec(text) ?? []
  return {
    client,
    key: 'k',
    kind: kind as Operation['kind'],
    ...(value !== undefined && { value }),
    ...(expected !== undefined && { expected }),
    ...(returned !== 'never' && { answer: answer ?? 'ok' }),
    called: Number(called),
    returned: Number(returned),
  }
}

const verdict = (...texts: string[]) => unexplained(texts.map(operation)) === undefined

describe('the checker of histories', () => {
  it('lets a read see either side of a write it overlaps', () => {
    expect(verdict('put a 1-2', 'put b 3-6', 'get 4-5 → a')).toBe(true)
    expect(verdict('put a 1-2', 'put b 3-6', 'get 4-5 → b')).toBe(true)
  })
  it('flags a stale read', () => {
    expect(verdict('put a 1-2', 'put b 3-4', 'get 5-6 → a')).toBe(false)
  })
  it('flags a value that goes back, though each read alone could be', () => {
    expect(verdict('put a 1-2', 'put b 3-10', 'get 4-5 → b', 'get 6-7 → a')).toBe(false)
  })
  it('flags a lost update', () => {
    expect(verdict('put a 1-2', 'replace b over a 3-6', 'replace c over a 4-5')).toBe(false)
    expect(verdict('put a 1-2', 'replace b over a 3-6', 'replace c over a 4-5 → PreconditionFailed')).toBe(true)
  })
  it('flags a key created twice, and one that is not there before anyone deleted it', () => {
    expect(verdict('create a 1-4', 'create b 2-3')).toBe(false)
    expect(verdict('create a 1-2', 'get 3-4 → NoSuchKey')).toBe(false)
    expect(verdict('create a 1-2', 'delete 3-6', 'get 4-5 → NoSuchKey', 'create b 7-8')).toBe(true)
  })
  it('lets an unanswered operation happen late or never, and only once', () => {
    expect(verdict('put a 1-never', 'get 2-3 → NoSuchKey')).toBe(true)
    expect(verdict('put a 1-never', 'get 2-3 → NoSuchKey', 'get 4-5 → a')).toBe(true)
    expect(verdict('put a 1-never', 'get 2-3 → a', 'delete 4-5', 'get 6-7 → a')).toBe(false)
  })
  it('is quick, however many operations are unanswered', () => {
    const lost = Array.from({ length: 20 }, (_, i) => `put lost${i} ${i + 1}-never`)
    const reads = Array.from({ length: 20 }, (_, i) => `get ${100 + 2 * i}-${101 + 2 * i} → lost${i}`)
    expect(verdict(...lost, ...reads)).toBe(true)
    expect(verdict(...lost, ...reads, 'get 300-301 → lost0')).toBe(false)
  })
})
