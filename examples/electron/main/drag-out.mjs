/** Drags an object out of the window, as a file: it is written to a temporary folder, and the system copies it. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { toFile } from 'varve'
import { fileNameOf } from './file-names.mjs'

// A drag needs a picture: one grey pixel of PNG.
const icon =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mOora39DwAF/gKtiT7Y3wAAAABJRU5ErkJggg=='

/** @param {{ use: any, folder: string, nativeImage: Pick<typeof import('electron').nativeImage, 'createFromDataURL'> }} options */
export function createDragOut({ use, folder, nativeImage }) {
  return {
    /**
     * The page calls this when the drag begins. Each file has a folder of its own, so it keeps its name.
     * @param {Pick<import('electron').WebContents, 'startDrag'>} contents
     */
    async start(contents, bucket, key) {
      if (typeof bucket !== 'string' || typeof key !== 'string') throw new TypeError('A bucket and a key.')
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = join(await mkdtemp(join(folder, 'drag-')), fileNameOf(key))
      await use(async (store) => toFile(await store.objects.get(bucket, key), file, { mode: 0o600 }))
      contents.startDrag({ file, icon: nativeImage.createFromDataURL(icon) })
      return file
    },
    /** What was dragged has been copied by now. */
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
