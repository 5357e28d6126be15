import { schema, StorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { controlErrorOf, controlErrorShape } from './control-error.ts'

describe('an error of the control API', () => {
  it('arrives as it was thrown, with numbers that JSON does not have as text', () => {
    const details = { ArgumentValue: Number.POSITIVE_INFINITY, other: Number.NaN, size: 7, isLast: true, name: 'a' }
    const sent = JSON.stringify(controlErrorOf(new StorageError('InvalidArgument', 'Wrong.', { details })))
    expect(schema.checked('error', controlErrorShape, JSON.parse(sent))).toEqual({
      code: 'InvalidArgument',
      message: 'Wrong.',
      details: { ArgumentValue: 'Infinity', other: 'NaN', size: 7, isLast: true, name: 'a' },
    })
  })

  it('arrives with its hint, its own or that of its code', () => {
    const hinted = new StorageError('InvalidArgument', 'Wrong.', { hint: 'Use `prefix`.' })
    expect(controlErrorOf(hinted).hint).toBe('Use `prefix`.')
    const general = new StorageError('StoreLocked', 'Locked.')
    expect(general.hint).toContain('`attachStore`')
    expect(controlErrorOf(general).hint).toBe(general.hint)
    expect(controlErrorOf(new StorageError('InvalidTag', 'None.'))).not.toHaveProperty('hint')
  })
})
