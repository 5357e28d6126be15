import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { errnoOf } from './errno.ts'

describe('the code of an error', () => {
  it('is known for an error of another context, as in a test of Jest', () => {
    const error: unknown = runInNewContext(`Object.assign(new Error('no such file'), { code: 'ENOENT' })`)
    expect(error).not.toBeInstanceOf(Error)
    expect(errnoOf(error)).toBe('ENOENT')
  })

  it.each([undefined, null, 'ENOENT', new Error('ENOENT'), { code: 2 }])('is empty for %o', (value) => {
    expect(errnoOf(value)).toBe('')
  })
})
