import { StorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { errorOf, type PlainError, plainError } from './plain-error.ts'

const sent = (error: unknown): Error => errorOf(JSON.parse(JSON.stringify(plainError(error))) as PlainError)

describe('an error that went from one process to another', () => {
  it('is a StorageError again, with its code, details and causes', () => {
    const cause = Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' })
    const error = sent(new StorageError('NoSpace', 'Full.', { details: { seq: 7, kind: 'x' }, cause }))
    expect(error).toBeInstanceOf(StorageError)
    expect(error).toMatchObject({ code: 'NoSpace', message: 'Full.', details: { seq: 7, kind: 'x' } })
    expect(error.cause).toMatchObject({ message: 'ENOSPC: no space', code: 'ENOSPC' })
  })

  it('keeps its hint, its own or that of its code', () => {
    expect(sent(new StorageError('InvalidArgument', 'Wrong.', { hint: 'Use `prefix`.' }))).toMatchObject({
      hint: 'Use `prefix`.',
    })
    expect(sent(new StorageError('NoSpace', 'Full.'))).toMatchObject({ hint: new StorageError('NoSpace', '').hint })
    expect(sent(new StorageError('InvalidTag', 'None.'))).not.toHaveProperty('hint')
  })

  it('is a programmer’s mistake if it was one', () => {
    expect(sent(new TypeError('Not a number.'))).toBeInstanceOf(TypeError)
  })

  it('keeps the name and the code of those we do not know', () => {
    const error = Object.assign(new Error('Denied.'), { name: 'S3Error', code: 'AccessDenied' })
    expect(sent(error)).toMatchObject({ name: 'S3Error', code: 'AccessDenied', message: 'Denied.' })
    expect(sent('just text')).toMatchObject({ name: 'Error', message: 'just text' })
  })
})
