import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { showToast } from '../components/toasts.tsx'
import { addUploads } from '../uploads/upload-queue.ts'
import { filesIn, type NamedFile } from './dropped-files.ts'

export interface UploadTarget {
  readonly bucket: string
  readonly prefix: string
}

/** What the page does with files that are dropped anywhere in the window: upload them, or say why not. */
export type DropPlace = { readonly target: UploadTarget } | { readonly refusal: string }

const nowhere: DropPlace = { refusal: 'Open the objects of a bucket to upload files by dropping them.' }
const place = signal<DropPlace>(nowhere)

/** True while files that the page would upload are dragged over the window. */
export const isDropOver = signal(false)

/** While the component is shown, files that are dropped go to its place. */
export function useDropPlace(given: DropPlace): void {
  useLayoutEffect(() => {
    place.value = given
    return () => {
      if (place.value === given) place.value = nowhere
    }
  }, [JSON.stringify(given)])
}

export function uploadFiles({ bucket, prefix }: UploadTarget, files: readonly NamedFile[]): void {
  addUploads(files.map(({ path, file }) => ({ file, object: { bucket, key: prefix + path } })))
}

/** A browser that drops a file or a link onto a page leaves the page for it. This one never does. */
export function catchDrops(): void {
  document.addEventListener('dragover', (event) => {
    if (isForField(event)) return
    event.preventDefault()
    const accepts = hasFiles(event) && 'target' in placeNow()
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = accepts ? 'copy' : 'none'
    isDropOver.value = accepts
    // A frame, such as a preview, would take the drop for itself.
    document.documentElement.dataset['dragging'] = ''
  })
  document.addEventListener('dragleave', ({ relatedTarget }) => relatedTarget === null && endDrag())
  document.addEventListener('dragend', endDrag)
  document.addEventListener('drop', (event) => {
    endDrag()
    if (isForField(event)) return
    event.preventDefault()
    if (hasFiles(event) && event.dataTransfer !== null) void take(event.dataTransfer)
  })
}

function endDrag(): void {
  isDropOver.value = false
  delete document.documentElement.dataset['dragging']
}

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true

/** Text that is dropped into a field is typed there. */
function isForField(event: DragEvent): boolean {
  const field = event.target instanceof Element ? event.target.closest('input, textarea') : null
  return field !== null && !hasFiles(event)
}

function placeNow(): DropPlace {
  if (document.querySelector('dialog[open]') === null) return place.value
  return { refusal: 'Close the dialog to upload files by dropping them.' }
}

async function take(transfer: DataTransfer): Promise<void> {
  const now = placeNow()
  if ('refusal' in now) {
    showToast({ kind: 'failed', text: now.refusal })
    return
  }
  try {
    uploadFiles(now.target, await filesIn(transfer))
  } catch {
    showToast({ kind: 'failed', text: 'The browser could not read what you dropped. Use “Upload” instead.' })
  }
}
