import { isStorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { assertWritable } from './scope.ts'

const codeOf = (key: string): string => {
  try {
    return assertWritable(key) === key ? 'accepted' : 'changed'
  } catch (error) {
    if (isStorageError(error)) return error.code
    throw error
  }
}

describe('a key that an agent writes', () => {
  const stray = ['.', '..', '.. ', '..  ', '. .', '...', ' ..']
  it.each([
    '',
    '/a',
    '\\a',
    '\\\\server\\share',
    'C:\\a',
    'c:a',
    'C:/a',
    'a\0',
    '\0',
    'a\0/../b',
    ...stray.flatMap((part) => [
      part,
      `${part}/a`,
      `a/${part}`,
      `a/${part}/b`,
      `${part}\\a`,
      `a\\${part}`,
      `a\\${part}/b`,
    ]),
  ])('is not %j', (key) => {
    expect(codeOf(key)).toBe('InvalidArgument')
  })

  it.each([
    'a',
    'a/b',
    '.a',
    'a.',
    'a..b',
    '..a',
    'a/.hidden',
    'a\\b',
    'ab:c',
    'notes/10:30',
    'a/',
    'a//b',
    'a b',
    'a\n',
  ])('may be %j', (key) => {
    expect(codeOf(key)).toBe('accepted')
  })
})
