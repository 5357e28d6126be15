/** Content that strains a layout: the longest names, many versions, many tags, a snapshot, a fork and an actor with a long name. */
import type { Store } from 'varve'

export const longBucket = `${'long-name-of-a-bucket-'.repeat(3).slice(0, 59)}-end`
/** Without a place where a line could break. */
export const longKey = `folder/${'unbroken'.repeat(30)}.txt`

/** Fills the store of a demo. */
export async function crowd(store: Store): Promise<void> {
  await store.buckets.create(longBucket, { versioning: 'Enabled' })
  for (let n = 0; n < 25; n++) {
    await store.objects.put(longBucket, 'versions.txt', `version ${n}`, { contentType: 'text/plain' })
  }
  const metadata = { ['a-long-name-of-metadata'.repeat(3)]: 'unbroken'.repeat(30), short: 'value' }
  await store.objects.put(longBucket, longKey, 'x', { contentType: 'text/plain', metadata })
  const by = { id: 'importer', name: 'An importer with a long name of many words 1234567890' }
  const acting = store.as({ by })
  await acting.objects.put(longBucket, longKey, 'y', { contentType: 'text/plain', metadata })
  for (let n = 0; n < 12; n++) await acting.objects.put(longBucket, `many/${n} ${'words of a name '.repeat(6)}`, 'z')
  await store.objects.delete(longBucket, 'many/0')
  await store.snapshots.create('before-the-move')
  await store.buckets.fork(longBucket, `fork-of-${longBucket.slice(0, 54)}x`)
}
