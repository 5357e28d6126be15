import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObservedTime } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { fileTimeRecord } from './file-time-record.ts'
import { sealJson } from './sealed-json.ts'

const scratch = scratchDirectory()
const time: ObservedTime = {
  believed: 1_800_000_000_000,
  locks: 1_790_000_000_000,
  ran: 86_400_000,
  opened: 12,
  doubt: { seq: 3 },
  gaps: [{ seq: 4, ran: 5, from: 4, ms: 60_000 }],
  marks: [
    { seq: 2, from: 1, at: 2, log: 3 },
    { seq: 9, from: 10, at: 11 },
  ],
}

async function path(): Promise<string> {
  const directory = scratch.next()
  await mkdir(directory)
  return join(directory, 'time')
}

describe('the record of time', () => {
  it('gives back what it was given last, and nothing at first', async () => {
    const file = await path()
    const record = fileTimeRecord(file)
    expect(await record.read()).toBeUndefined()
    const { doubt: _, ...certain } = time
    for (const each of [time, certain, { ...time, doubt: { seq: 3, ran: 7 } }]) {
      await Promise.all([record.write(certain), record.write(each)])
      expect(await fileTimeRecord(file).read()).toEqual(each)
    }
  })

  it('is whole milliseconds, and never makes anything older', async () => {
    const record = fileTimeRecord(await path())
    const marks = [{ seq: 1, from: 1.2, at: 1.2 }]
    await record.write({ ...time, believed: 10.9, marks })
    expect(await record.read()).toMatchObject({ believed: 10, marks: [{ seq: 1, from: 1, at: 2 }] })
  })

  it('counts as none when a byte of it was changed, or it is not what is written here', async () => {
    const file = await path()
    const record = fileTimeRecord(file)
    await record.write(time)
    const whole = await readFile(file)
    for (let at = 0; at < whole.length; at += 7) {
      const damaged = Buffer.from(whole)
      damaged[at] = (damaged[at] as number) ^ 4
      await writeFile(file, damaged)
      expect(await record.read(), `byte ${at}`).toBeUndefined()
    }
    const fields = JSON.parse(whole.toString()) as Record<string, unknown>
    delete fields['crc']
    for (const wrong of [
      { believed: 'now' },
      { ran: null },
      { gaps: [[1, 2]] },
      { marks: [1] },
      { marks: [[1, 2, Number.MAX_VALUE]] },
      { doubt: 3 },
      { opened: 0.5 },
    ]) {
      await writeFile(file, sealJson({ ...fields, ...wrong }))
      expect(await record.read(), JSON.stringify(wrong)).toBeUndefined()
    }
  })
})
