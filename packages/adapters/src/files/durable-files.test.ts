import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { syncDirectory } from './durable-files.ts'
import { faultyFileSystem } from './faulty-file-system.fixture.ts'

it('a directory is synced where the system can sync one, so not on Windows', async () => {
  const here = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor
  const { fs, trace } = faultyFileSystem(() => undefined)
  try {
    Object.defineProperty(process, 'platform', { ...here, value: 'win32' })
    await syncDirectory(fs, tmpdir())
    expect(trace).toEqual([])
    Object.defineProperty(process, 'platform', { ...here, value: 'linux' })
    await syncDirectory(fs, tmpdir())
    expect(trace.map((call) => call.split(' ')[0])).toEqual(['open', 'sync', 'close'])
  } finally {
    Object.defineProperty(process, 'platform', here)
  }
})
