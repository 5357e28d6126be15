import { expect, it } from 'vitest'
import { DownloadSlots } from './download-slots.ts'

it('lets 32 downloads have a slot, and others when those give theirs back', () => {
  const downloads = new DownloadSlots()
  const taken = Array.from({ length: 32 }, () => downloads.take())
  expect(taken).not.toContain(undefined)
  expect(downloads.take()).toBe(undefined)
  taken[0]?.()
  taken[0]?.()
  expect(downloads.take()).not.toBe(undefined)
  expect(downloads.take()).toBe(undefined)
})
