import { describe, expect, it } from 'vitest'
import { isStorageError } from '../base/errors.ts'
import { checkNotifications } from './check-notifications.ts'
import type { NotificationTarget } from './notifications.ts'

type Filter = readonly [prefix?: string, suffix?: string]
const created = 's3:ObjectCreated:*'
const put = 's3:ObjectCreated:Put'
const copy = 's3:ObjectCreated:Copy'
const removed = 's3:ObjectRemoved:*'

function target(id: string, kind: NotificationTarget['kind'], events: readonly string[], [prefix, suffix]: Filter) {
  const filter = [
    ...(prefix === undefined ? [] : [{ name: 'prefix', value: prefix } as const]),
    ...(suffix === undefined ? [] : [{ name: 'suffix', value: suffix } as const]),
  ]
  return { id, kind, arn: `arn:aws:sqs:eu::${id}`, events, ...(filter.length > 0 && { filter }) }
}

function isRefused(first: NotificationTarget, second: NotificationTarget): boolean {
  const others = target('other', 'Queue', ['s3:ObjectTagging:*'], [])
  try {
    checkNotifications({ targets: [first, others, second] })
    return false
  } catch (error) {
    if (isStorageError(error, 'InvalidArgument')) return true
    throw error
  }
}

describe('two targets of a notification configuration', () => {
  it.each<[string, readonly string[], Filter, readonly string[], Filter, boolean]>([
    ['one event and no filters', [put], [], [put], [], true],
    ['a family and one of its events', [created], [], [put], [], true],
    ['one common event of several', [copy, put], [], [removed, put], [], true],
    ['two events of a family', [copy], [], [put], [], false],
    ['two families', [created], [], [removed], [], false],
    ['a filter and none', [created], ['images/'], [put], [], true],
    ['the same prefix', [created], ['images/'], [created], ['images/'], true],
    ['a prefix in the other', [created], ['images'], [created], ['images/cats/'], true],
    ['an empty prefix', [created], [''], [created], ['images/'], true],
    ['two prefixes', [created], ['images/'], [created], ['logs/'], false],
    ['two prefixes and one suffix', [created], ['images/', '.jpg'], [created], ['logs/', '.jpg'], false],
    ['a suffix in the other', [created], [undefined, '.gz'], [created], [undefined, '.tar.gz'], true],
    ['two suffixes', [created], [undefined, '.jpg'], [created], [undefined, '.png'], false],
    ['one prefix and two suffixes', [created], ['images/', '.jpg'], [created], ['images/', '.png'], false],
    ['a prefix and a suffix', [created], ['images/'], [created], [undefined, '.jpg'], true],
    ['nested prefixes and nested suffixes', [created], ['a', '.b'], [put], ['ab', '.a.b'], true],
    ['one filter and two events', [put], ['a', '.b'], [copy], ['a', '.b'], false],
  ])('with %s', (...[, events, filter, otherEvents, otherFilter, refused]) => {
    for (const kind of ['Queue', 'Topic', 'CloudFunction'] as const) {
      const [one, other] = [target('one', kind, events, filter), target('two', 'Queue', otherEvents, otherFilter)]
      expect([isRefused(one, other), isRefused(other, one)]).toEqual([refused, refused])
    }
  })
})
