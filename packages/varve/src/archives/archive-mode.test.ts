import { stat } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { memoryStore, openStore } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { exportArchive, exportStore } from './archives.ts'

const scratch = scratchDirectory()
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)

it('archives can be read by the user alone who wrote them, also those that replace others', async () => {
  const [whole, bucket] = [scratch.next(), scratch.next()]
  const store = await openStore(scratch.next())
  await store.buckets.create('box')
  for (const overwrite of [false, true]) {
    await exportStore(store, whole, { overwrite })
    expect(await modeOf(whole)).toBe('600')
  }
  await store.close()
  const other = await memoryStore()
  await other.buckets.create('box')
  await exportArchive(other, bucket, { bucket: 'box' })
  expect(await modeOf(bucket)).toBe('600')
  await other.close()
})
