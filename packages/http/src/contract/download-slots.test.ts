import { expect, it } from 'vitest'
import { DownloadSlots } from './download-slots.ts'

const holders = ['a', 'b', 'c']

it('lets 32 downloads have a slot, and others when those give theirs back', () => {
  const downloads = new DownloadSlots()
  const taken = Array.from({ length: 32 }, (_, at) => downloads.take(holders[at % 3] as string))
  expect(taken).not.toContain(undefined)
  expect(downloads.take('a')).toBe(undefined)
  taken[0]?.()
  taken[0]?.()
  expect(downloads.take('a')).not.toBe(undefined)
  expect(downloads.take('a')).toBe(undefined)
})

it('gives half of them to one holder', () => {
  const downloads = new DownloadSlots()
  const taken = Array.from({ length: 16 }, () => downloads.take('a'))
  expect(taken).not.toContain(undefined)
  expect(downloads.take('a')).toBe(undefined)
  expect(downloads.take('b')).not.toBe(undefined)
  taken[0]?.()
  expect(downloads.take('a')).not.toBe(undefined)
})
