import { levelJournal } from '@varve/adapters'
import { blobStoreContract, journalContract } from '@varve/core/contracts'
import { createBlobDirectories, createTieredDirectories, diskBlobs, tieredBlobs } from '@varve/adapters'
import { describe, it } from 'vitest'
import { emptyDisk } from './disk-image.ts'
import { randomFrom } from '../support/random.ts'
import { noRows } from './row-image.ts'
import { SimFiles } from './sim-files.ts'
import { SimRows } from './sim-level.ts'
import { atOnce } from './world.ts'

describe('a journal on the simulated database', () => {
  const open = async (rows: SimRows) => levelJournal(await rows.open(true))
  const openFresh = async () => {
    const rows = new SimRows(atOnce(randomFrom(1), 0), noRows)
    return { instance: await open(rows), reopen: () => open(rows) }
  }
  for (const { name, run } of journalContract) it(name, () => run(openFresh))
})

describe('a blob store on the simulated disk', () => {
  const openFresh = async () => {
    const fs = new SimFiles(atOnce(randomFrom(1), 0), emptyDisk)
    await createBlobDirectories('/', { fs })
    return { instance: await diskBlobs('/', { fs }), reopen: () => diskBlobs('/', { fs }) }
  }
  for (const { name, run } of blobStoreContract) it(name, () => run(openFresh))
})

describe('a blob store in tiers on the simulated disk', () => {
  const openFresh = async () => {
    const fs = new SimFiles(atOnce(randomFrom(1), 0), emptyDisk)
    await createTieredDirectories('/', { fs })
    const open = () => tieredBlobs('/', { fs, segmentBytes: 1_000_000 })
    return { instance: await open(), reopen: open }
  }
  for (const { name, run } of blobStoreContract) it(name, () => run(openFresh))
})
