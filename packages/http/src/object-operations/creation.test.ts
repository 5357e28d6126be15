import { describe, expect, it } from 'vitest'
import { createRequestHeaders } from '../target/request-headers.ts'
import { objectContext } from '../objects/object-context.fixture.ts'
import { creationOptions } from './creation-options.ts'
import { lockIn } from '../object-lock/lock-in.ts'
import { tagsIn } from '../headers/tags-in.ts'

const headersOf = (headers: Readonly<Record<string, string>>) => createRequestHeaders(Object.entries(headers).flat())

describe('x-amz-tagging', () => {
  const read = (value: string) => tagsIn(headersOf({ 'x-amz-tagging': value }))

  it.each([
    ['a=b', [['a', 'b']]],
    [
      'a=1&b=',
      [
        ['a', '1'],
        ['b', ''],
      ],
    ],
    ['a', [['a', '']]],
    ['a+b=%C3%A4%20%3D', [['a b', 'ä =']]],
    ['', []],
  ] as const)('%j is read', (value, tags) => {
    expect(read(value)).toEqual(tags.map(([key, tagValue]) => ({ key, value: tagValue })))
    expect(tagsIn(headersOf({}))).toBeUndefined()
  })

  it.each(['key1=val1&key1=val2', 'key1=val1,key2=val2', 'a=%zz', 'a=%ff', '=', '=b', 'a=1&='])(
    '%j is refused',
    (value) => {
      expect(() => read(value)).toThrow(
        expect.objectContaining({
          code: 'InvalidArgument',
          details: { ArgumentName: 'x-amz-tagging', ArgumentValue: value },
        }),
      )
    },
  )
})

describe('x-amz-object-lock-…', () => {
  const read = (mode?: string, date?: string, hold?: string) =>
    lockIn(
      headersOf({
        ...(mode !== undefined && { 'x-amz-object-lock-mode': mode }),
        ...(date !== undefined && { 'x-amz-object-lock-retain-until-date': date }),
        ...(hold !== undefined && { 'x-amz-object-lock-legal-hold': hold }),
      }),
    )

  it('set retention and legal hold', () => {
    expect(read()).toEqual({})
    expect(read('GOVERNANCE', '2030-01-01T00:00:00Z', 'OFF')).toEqual({
      retention: { mode: 'GOVERNANCE', until: Date.UTC(2030, 0, 1) },
      legalHold: 'OFF',
    })
    expect(read(undefined, undefined, 'ON')).toEqual({ legalHold: 'ON' })
  })

  const both = 'x-amz-object-lock-retain-until-date and x-amz-object-lock-mode must both be supplied'

  it.each([
    ['GOVERNANCE', undefined, undefined, both, 'x-amz-object-lock-retain-until-date'],
    [undefined, '2030-01-01T00:00:00Z', undefined, both, 'x-amz-object-lock-mode'],
    ['BAD-VALUE', '2030-01-01T00:00:00Z', undefined, 'Unknown wormMode directive.', 'x-amz-object-lock-mode'],
    ['COMPLIANCE', 'soon', undefined, expect.stringContaining('ISO 8601'), 'x-amz-object-lock-retain-until-date'],
    [undefined, undefined, 'on', "Legal Hold must be either of 'ON' or 'OFF'", 'x-amz-object-lock-legal-hold'],
  ])('is refused as %s, %s, %s', (...[mode, date, hold, message, ArgumentName]) => {
    expect(() => read(mode, date, hold)).toThrow(
      expect.objectContaining({
        code: 'InvalidArgument',
        message,
        details: expect.objectContaining({ ArgumentName }),
      }),
    )
  })
})

describe('creationOptions', () => {
  const headers = {
    'x-amz-tagging': 'a=b',
    'x-amz-object-lock-mode': 'GOVERNANCE',
    'x-amz-object-lock-retain-until-date': '2030-01-01T00:00:00Z',
    'x-amz-object-lock-legal-hold': 'ON',
    'x-amz-storage-class': 'GLACIER',
  }

  it('reads every property of the new object from the request', () => {
    expect(creationOptions(objectContext({ headers }))).toEqual({
      tags: [{ key: 'a', value: 'b' }],
      retention: { mode: 'GOVERNANCE', until: Date.UTC(2030, 0, 1) },
      legalHold: 'ON',
      storageClass: 'GLACIER',
    })
    expect(creationOptions(objectContext())).toEqual({})
  })
})
