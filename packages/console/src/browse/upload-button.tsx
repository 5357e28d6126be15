import { useRef } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { namedFiles } from './dropped-files.ts'
import { uploadFiles, type UploadTarget } from './window-drops.ts'

/** Opens the file field of the browser. */
export function UploadButton({ target }: { readonly target: UploadTarget }) {
  const field = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => {
          uploadFiles(target, namedFiles(event.currentTarget.files ?? []))
          event.currentTarget.value = ''
        }}
      />
      <Button kind="primary" onClick={() => field.current?.click()}>
        Upload
      </Button>
    </>
  )
}
