import { describe, expect, it } from 'vitest'
import { StorageError } from './errors.ts'

const long = '😀'.repeat(1_500_000)

describe('the texts of an error', () => {
  it('are bounded, however long the name is that they quote', () => {
    const { message, details } = new StorageError('NoSuchBucket', `There is no bucket "${long}".`, {
      details: { BucketName: long, Count: 3 },
    })
    for (const text of [message, String(details['BucketName'])]) {
      expect(text.length).toBeLessThanOrEqual(4096)
      expect(text).toMatch(/😀…$/u)
    }
    expect(details['Count']).toBe(3)
  })

  it('have the hint of the error of the system that is the cause, if the code has none', () => {
    const cause = Object.assign(new Error('no such file'), { code: 'ENOENT' })
    const hint = 'Check the path: there is no such file or directory.'
    expect(new StorageError('InvalidArgument', 'No.', { cause }).hint).toBe(hint)
    expect(new StorageError('InvalidArgument', 'No.', { details: { errno: 'ENOENT' } }).hint).toBe(hint)
    expect(new StorageError('StoreNotFound', 'No.', { cause }).hint).toContain('`varve init`')
    expect(new StorageError('InvalidArgument', 'No.', { cause, hint: 'Use `prefix`.' }).hint).toBe('Use `prefix`.')
    const hostile = new Proxy(cause, {
      get() {
        throw new TypeError('hostile')
      },
    })
    expect(new StorageError('InvalidArgument', 'No.', { cause: hostile })).not.toHaveProperty('hint')
  })

  it('are what they were if they are short', () => {
    const details = { Key: 'k'.repeat(1024) }
    expect(new StorageError('NoSuchKey', 'No key.', { details })).toMatchObject({ message: 'No key.', details })
  })
})
