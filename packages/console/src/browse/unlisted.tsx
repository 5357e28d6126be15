import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { TextField } from '../components/text-field.tsx'
import { navigate } from '../router/router.ts'

/** A bucket whose objects the key may not list. It may be allowed to read them. */
export function Unlisted({ bucket }: { readonly bucket: string }) {
  const [key, setKey] = useState('')
  return (
    <EmptyState title="Your key does not have the permission to list this bucket.">
      <p>If it may read an object, open that by its key.</p>
      <form
        class="open-bucket"
        onSubmit={(event) => {
          event.preventDefault()
          if (key !== '') navigate(['browse', bucket], { key })
        }}
      >
        <TextField label="Key of the object" value={key} onInput={setKey} placeholder="photos/cat.jpg" />
        <Button type="submit">Open</Button>
      </form>
    </EmptyState>
  )
}
