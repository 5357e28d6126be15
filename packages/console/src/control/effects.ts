/** What a plan does, in words. They name what clients see in the end, whatever events bring it about. */

import { countText } from '../components/formats.ts'
import type { Change, Effect, PlannedCall } from './plans.ts'

type Operation = PlannedCall['operation']

/** What clients see of the key of a change; `undefined` for changes of buckets and their settings. */
function effectOf(one: Change): Effect | undefined {
  if ('kind' in one) return one.effect
  if (one.action === 'remove') return 'removed'
  if (one.action === 'annotate') return 'unchanged'
  return one.present === undefined ? 'added' : 'changed'
}

const backwards: Readonly<Record<Effect, string>> = {
  added: 'bring back',
  removed: 'remove',
  changed: 'change back',
  unchanged: 'older versions',
}
const words: Readonly<Record<Operation, Readonly<Record<Effect, string>>>> = {
  restore: backwards,
  undo: backwards,
  merge: { added: 'add', removed: 'remove', changed: 'replace', unchanged: 'older versions' },
}

/** One change in words, such as `bring back`. */
export function changeText(operation: Operation, one: Change): string {
  const effect = effectOf(one)
  if (effect === 'unchanged' && isOfAnnotations(one)) return 'tags or locks'
  if (effect !== undefined) return words[operation][effect]
  if (!('kind' in one) || one.kind === 'setting') return `setting ${'setting' in one ? (one.setting ?? '') : ''}`
  return one.action === 'restore' ? 'bring back the bucket' : 'remove the bucket'
}

const isOfAnnotations = (one: Change): boolean => !('kind' in one) || (one.annotates?.length ?? 0) > 0

/** How many keys have each effect, and how many changes there are in all. */
export class EffectCount {
  readonly #counts = new Map<Effect | undefined, number>()
  total = 0

  add(one: Change): void {
    const effect = effectOf(one)
    this.#counts.set(effect, this.#of(effect) + 1)
    this.total++
  }

  /** Such as `3 objects came back, 1 object was removed`, for an undo or a restore. */
  get text(): string {
    const [added, removed, changed] = [this.#of('added'), this.#of('removed'), this.#of('changed')]
    const others = this.total - added - removed - changed
    const parts = [
      added > 0 && `${countText(added, 'object')} came back`,
      removed > 0 && `${countText(removed, 'object was', 'objects were')} removed`,
      changed > 0 && `${countText(changed, 'object has', 'objects have')} the earlier content`,
      others > 0 && countText(others, 'other change'),
    ]
    return parts.filter((part) => part !== false).join(', ')
  }

  #of(effect: Effect | undefined): number {
    return this.#counts.get(effect) ?? 0
  }
}
