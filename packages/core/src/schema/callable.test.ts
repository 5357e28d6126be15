import { describe, expect, it } from 'vitest'
import { isStorageError } from '../base/errors.ts'
import { callable } from './scalars.ts'
import { checked } from './schema.ts'

class Plain {}
class Derived extends Plain {}

const codeOf = (value: unknown): string => {
  try {
    return checked('run', callable(), value) === value ? 'accepted' : 'changed'
  } catch (error) {
    if (isStorageError(error)) return error.code
    throw error
  }
}

describe('a function', () => {
  it.each([
    ['an arrow function', () => undefined],
    ['a function', function named() {}],
    ['an async function', async () => undefined],
    ['a generator', function* generator() {}],
    ['a method', { method() {} }.method],
    ['a bound function', function named() {}.bind(undefined)],
    ['a proxy of one', new Proxy(() => undefined, {})],
  ])('may be %s', (_, value) => expect(codeOf(value)).toBe('accepted'))

  it.each([
    ['a class', Plain],
    ['a class that extends another', Derived],
    ['a class without a name', class {}],
    ['a class of the language', Map],
    ['a promise', Promise],
    ['a proxy of a class', new Proxy(Plain, {})],
    ['an object', {}],
    ['nothing', undefined],
  ])('is not %s', (_, value) => expect(codeOf(value)).toBe('InvalidArgument'))
})
