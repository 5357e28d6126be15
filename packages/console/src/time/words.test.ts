import { describe, expect, it } from 'vitest'
import { changeText, EffectCount } from '../control/effects.ts'
import type { Change, Effect } from '../control/plans.ts'
import { actionText } from './action-text.ts'
import { kindOf } from './event-text.ts'
import type { EventData, LogEvent } from './events.ts'
import { Presence } from './presence.ts'

type Given = readonly [type: string, data?: EventData]

const eventsOf = (given: readonly Given[]): readonly LogEvent[] =>
  given.map(([type, data = {}], index) => ({
    type,
    seq: index + 1,
    at: 0,
    by: { id: 'ada', name: 'Ada' },
    data: { bucket: 'b', key: 'a.txt', ...data },
  }))

/** By the position of each event: whether an object is there after it. */
const stories: Readonly<Record<string, readonly (readonly [...Given, isThere: boolean])[]>> = {
  'without versioning': [
    ['VersionAdded', {}, true],
    ['VersionAdded', { replaces: 1 }, true],
    ['VersionRemoved', { version: 2 }, false],
    ['VersionRestored', { version: 2 }, true],
    ['ObjectTagsSet', { version: 2 }, true],
    ['VersionRemoved', { version: 2 }, false],
    ['VersionRestored', { version: 1 }, true],
  ],
  'with versioning': [
    ['VersionAdded', {}, true],
    ['UploadCompleted', {}, true],
    ['VersionRemoved', { version: 1 }, true],
    ['DeleteMarkerAdded', {}, false],
    ['DeleteMarkerAdded', {}, false],
    ['VersionRemoved', { version: 5, deleteMarker: true, promotes: 4 }, false],
    ['VersionRemoved', { version: 4, deleteMarker: true, promotes: 2 }, true],
    ['VersionRestored', { version: 4, deleteMarker: true }, false],
    ['VersionRestored', { version: 1 }, false],
    ['VersionRemoved', { version: 4, deleteMarker: true, promotes: 2 }, true],
  ],
  'with versioning suspended': [
    ['VersionAdded', {}, true],
    ['DeleteMarkerAdded', { replaces: 1 }, false],
    ['VersionAdded', { replaces: 2 }, true],
  ],
}

describe('the story of a key', () => {
  it.each(Object.entries(stories))('names the event that took the object away: %s', (_title, steps) => {
    const presence = new Presence()
    let removal: number | undefined
    for (const event of eventsOf(steps.map(([type, data]) => [type, data]))) {
      const had = presence.hasObject
      presence.apply(event)
      const isThere = steps[event.seq - 1]?.at(-1)
      expect([event.seq, presence.hasObject]).toEqual([event.seq, isThere])
      if (isThere === true) removal = undefined
      else if (had) removal = event.seq
      expect(presence.removal?.seq).toBe(removal)
    }
  })

  it('shows what happens to delete markers as the opposite of what happens to objects', () => {
    const kinds = eventsOf([
      ['VersionRemoved', { version: 1 }],
      ['VersionRemoved', { version: 1, deleteMarker: true }],
      ['VersionRestored', { version: 1 }],
      ['VersionRestored', { version: 1, deleteMarker: true }],
    ]).map(kindOf)
    expect(kinds).toEqual(['removed', 'added', 'added', 'removed'])
  })
})

describe('an action', () => {
  const undo = { cause: { kind: 'undo' } } as const
  it.each<readonly [string, readonly Given[]]>([
    ['deleted a.txt', [['DeleteMarkerAdded']]],
    ['deleted 2 objects, the first is a.txt', [['DeleteMarkerAdded'], ['DeleteMarkerAdded', { key: 'b.txt' }]]],
    ['undid a change: brought back a.txt', [['VersionRestored', { ...undo, version: 1 }]]],
    ['undid a change: brought back a.txt', [['VersionRemoved', { ...undo, version: 2, deleteMarker: true }]]],
    ['undid a change: removed a.txt', [['VersionRestored', { ...undo, version: 2, deleteMarker: true }]]],
    ['undid a change: removed a.txt', [['VersionRemoved', { ...undo, version: 1 }]]],
    ['undid a change: changed back a.txt', [['VersionRemoved', { ...undo, version: 2, promotes: 1 }]]],
    [
      'undid a change: changed back a.txt; brought back b.txt',
      [
        ['VersionRemoved', { ...undo, version: 2 }],
        ['VersionRestored', { ...undo, version: 1 }],
        ['VersionRestored', { ...undo, key: 'b.txt', version: 3 }],
      ],
    ],
    ['undid a change: changed a.txt', [['ObjectTagsSet', { ...undo, version: 1 }]]],
    ['restored an earlier state: removed a.txt', [['DeleteMarkerAdded', { cause: { kind: 'restore' } }]]],
    ['merged a fork, and so wrote a.txt', [['VersionAdded', { cause: { kind: 'merge' } }]]],
  ])('%s', (text, given) => {
    expect(actionText(eventsOf(given))).toBe(text)
  })
})

describe('a plan', () => {
  const undone = (effect: Effect): Change => ({ kind: 'key', bucket: 'b', key: 'a', effect, annotates: [] })
  it.each<readonly ['undo' | 'restore' | 'merge', Change, string]>([
    ['undo', undone('added'), 'bring back'],
    ['undo', undone('removed'), 'remove'],
    ['undo', undone('changed'), 'change back'],
    ['undo', undone('unchanged'), 'older versions'],
    ['undo', { kind: 'key', bucket: 'b', effect: 'unchanged', annotates: ['tags'] }, 'tags or locks'],
    ['undo', { kind: 'setting', bucket: 'b', setting: 'Policy' }, 'setting Policy'],
    ['undo', { kind: 'bucket', bucket: 'b', action: 'restore' }, 'bring back the bucket'],
    ['undo', { kind: 'bucket', bucket: 'b', action: 'delete' }, 'remove the bucket'],
    ['restore', { key: 'a', action: 'add' }, 'bring back'],
    ['restore', { key: 'a', action: 'add', present: {} }, 'change back'],
    ['restore', { key: 'a', action: 'remove', present: {} }, 'remove'],
    ['restore', { key: 'a', action: 'annotate', present: {} }, 'tags or locks'],
    ['merge', { key: 'a', action: 'add' }, 'add'],
    ['merge', { key: 'a', action: 'add', present: {} }, 'replace'],
  ])('%s: %j is "%s"', (operation, change, text) => {
    expect(changeText(operation, change)).toBe(text)
  })

  it('is summed up by what clients see', () => {
    const count = new EffectCount()
    for (const effect of ['added', 'added', 'removed', 'changed', 'unchanged'] as const) count.add(undone(effect))
    expect(count.text).toBe(
      '2 objects came back, 1 object was removed, 1 object has the earlier content, 1 other change',
    )
  })
})
