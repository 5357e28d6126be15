import { describe, expect, it } from 'vitest'
import { RegisterHistory } from './register-history.ts'

const history = (
  ...requests: readonly (readonly ['write' | 'read' | 'lost', string | undefined, number, number?])[]
) => {
  const all = new RegisterHistory()
  for (const [kind, value, begun, ended = begun + 1] of requests) {
    if (kind === 'read') all.read('k', value, { begun, ended })
    else all.wrote('k', value ?? '', kind === 'lost' ? { begun } : { begun, ended })
  }
  return all.problems()
}

describe('a history of a key', () => {
  it('takes what one order explains', () => {
    expect(history(['write', 'a', 0], ['read', 'a', 2], ['write', 'b', 4], ['read', 'b', 6])).toEqual([])
    expect(history(['read', undefined, 0], ['write', 'a', 2], ['read', 'a', 4])).toEqual([])
    // Requests at the same time have any order.
    expect(history(['write', 'a', 0, 10], ['write', 'b', 0, 10], ['read', 'a', 12], ['read', 'a', 14])).toEqual([])
    expect(history(['write', 'a', 0], ['write', 'b', 2, 10], ['read', 'b', 3], ['read', 'b', 5])).toEqual([])
  })

  it('takes a write without an answer that has its effect late, or never', () => {
    expect(history(['write', 'a', 0], ['lost', 'b', 2], ['read', 'a', 4], ['read', 'a', 8])).toEqual([])
    expect(history(['write', 'a', 0], ['lost', 'b', 2], ['write', 'c', 4], ['read', 'c', 6], ['read', 'b', 8])).toEqual(
      [],
    )
  })

  it('finds a lost write, an old value, and one that comes and goes', () => {
    expect(history(['write', 'a', 0], ['read', undefined, 2])).toHaveLength(1)
    expect(history(['write', 'a', 0], ['write', 'b', 2], ['read', 'a', 4])).toHaveLength(1)
    expect(history(['write', 'a', 0], ['lost', 'b', 2], ['read', 'b', 4], ['read', 'a', 6])).toHaveLength(1)
    expect(history(['write', 'a', 0], ['read', 'z', 2])).toHaveLength(1)
    expect(history(['read', 'a', 0], ['write', 'a', 2])).toHaveLength(1)
  })
})
