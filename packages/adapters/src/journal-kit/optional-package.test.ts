import { describe, expect, it } from 'vitest'
import { optionalPackage } from './optional-package.ts'

describe('a package that a layout needs', () => {
  it('is given where it is there', async () => {
    expect(await optionalPackage('node:path', () => import('node:path'))).toHaveProperty('join')
  })

  it('is named in the error when it is not installed or does not load', async () => {
    // A name in a variable is looked for when this runs.
    const name: string = 'varve-has-no-such-package'
    const details = { kind: 'package', package: name }
    await expect(optionalPackage(name, () => import(name))).rejects.toMatchObject({
      code: 'UnsupportedFormat',
      message: `This needs the package ${name}, which is not installed.`,
      hint: `Run \`npm install ${name}\`.`,
      details,
    })
    await expect(optionalPackage(name, () => Promise.reject(new Error('bad ELF')))).rejects.toMatchObject({
      code: 'UnsupportedFormat',
      message: expect.stringContaining('does not load on this machine') as string,
      details,
    })
  })
})
