import { describe, expect, it } from 'vitest'
import { dayMs } from '../settings/lifecycle.ts'
import type { ReadSnapshot, NamedBucket } from '../reads/read-snapshot.ts'
import { Expirations } from './expirations.ts'

function rules(count: number) {
  const seen = { reads: 0 }
  const setting = async () => {
    seen.reads++
    const rule = { status: 'Enabled', filter: {}, filterForm: 'filter', expiration: { days: 1 } }
    return { rules: Array.from({ length: count }, (_, at) => ({ ...rule, id: `rule ${at}` })) }
  }
  return { seen, snapshot: { setting } as unknown as ReadSnapshot }
}
const bucket = (setBy?: number) =>
  ({ name: 'box', row: { settings: setBy === undefined ? {} : { Lifecycle: setBy } } }) as unknown as NamedBucket
const object = { key: 'k', size: 1, tags: [], at: 0 }

describe('the rules by which objects expire', () => {
  it('are read once for the event that set them, however many lookups there are', async () => {
    const { seen, snapshot } = rules(1000)
    const expirations = new Expirations(dayMs)
    const found = await Promise.all(Array.from({ length: 100 }, () => expirations.find(snapshot, bucket(7), object)))
    expect(found.every((one) => one?.ruleId === 'rule 0')).toBe(true)
    await expirations.find(snapshot, bucket(7), object)
    expect(seen.reads).toBe(1)
    await expirations.find(snapshot, bucket(8), object)
    expect(seen.reads).toBe(2)
  })

  it('cost nothing where there are none', async () => {
    const { seen, snapshot } = rules(1)
    expect(await new Expirations(dayMs).find(snapshot, bucket(), object)).toBeUndefined()
    expect(seen.reads).toBe(0)
  })

  it('are forgotten when there are too many of them, and when they cannot be read', async () => {
    const { seen, snapshot } = rules(1000)
    const expirations = new Expirations(dayMs)
    for (let setBy = 1; setBy <= 100; setBy++) await expirations.find(snapshot, bucket(setBy), object)
    await expirations.find(snapshot, bucket(1), object)
    expect(seen.reads).toBe(101)
    const broken = { setting: () => Promise.reject(new Error('unreadable')) } as unknown as ReadSnapshot
    await expect(expirations.find(broken, bucket(500), object)).rejects.toThrow('unreadable')
    expect(await expirations.find(snapshot, bucket(500), object)).toMatchObject({ ruleId: 'rule 0' })
  })
})
