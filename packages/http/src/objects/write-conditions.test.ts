import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { deleteCondition, writeConditions } from './write-conditions.ts'

const headers = (of: Readonly<Record<string, string>>) => createRequestHeaders(Object.entries(of).flat())
const notImplemented = expect.toSatisfy((error: unknown) => isS3Error(error, 'NotImplemented'))

describe('writeConditions', () => {
  it.each<[Readonly<Record<string, string>>, object]>([
    [{}, {}],
    [{ 'If-None-Match': '*' }, { ifNoneMatch: '*' }],
    [{ 'If-Match': '"a"' }, { ifMatch: 'a' }],
    [{ 'If-Match': 'a' }, { ifMatch: 'a' }],
  ])('reads %j as %j', (sent, conditions) => {
    expect(writeConditions(headers(sent))).toEqual(conditions)
  })

  it.each<Readonly<Record<string, string>>>([
    { 'If-None-Match': '"a"' },
    { 'If-None-Match': '' },
    { 'If-Match': '*' },
    { 'If-Match': '"a"', 'If-None-Match': '*' },
  ])('refuses %j', (sent) => {
    expect(() => writeConditions(headers(sent))).toThrow(notImplemented)
  })
})

describe('deleteCondition', () => {
  it.each<[Readonly<Record<string, string>>, object]>([
    [{}, {}],
    [{ 'If-Match': '*' }, { ifMatch: '*' }],
    [{ 'If-Match': '"a-2"' }, { ifMatch: 'a-2' }],
  ])('reads %j as %j', (sent, condition) => {
    expect(deleteCondition(headers(sent))).toEqual(condition)
  })
})
