import { describe, expect, it } from 'vitest'
import { blobKeys } from './blob-keys.ts'

const id = 'ab'.repeat(16)

describe('the keys of blobs', () => {
  it.each([
    ['', ''],
    ['shop', 'shop/'],
    ['shop/', 'shop/'],
    ['.hidden/a..b/...', '.hidden/a..b/.../'],
    ["it's (new) & old!", "it's (new) & old!/"],
  ])('begin with the prefix %j', (given, prefix) => {
    const keys = blobKeys(given)
    expect(keys).toMatchObject({ prefix, marker: `${prefix}varve-blobs.json`, blobs: `${prefix}blobs/` })
    expect(keys.keyOf(id)).toBe(`${prefix}blobs/${id}`)
    expect(keys.idOf(keys.keyOf(id))).toBe(id)
  })

  it('are those of ids only', () => {
    const keys = blobKeys('shop')
    for (const wrong of ['', 'AB'.repeat(16), `${id}a`, `../${id.slice(3)}`, id.slice(1)]) {
      expect(() => keys.keyOf(wrong)).toThrow(TypeError)
      expect(keys.idOf(`shop/blobs/${wrong}`)).toBeUndefined()
    }
    for (const other of [undefined, id, `blobs/${id}`, `shop/${id}`, `shop/blobs/x/${id}`, `other/shop/blobs/${id}`]) {
      expect(keys.idOf(other)).toBeUndefined()
    }
  })
})
