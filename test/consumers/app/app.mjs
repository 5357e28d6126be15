import { isStorageError, openStore } from 'varve'
import { createIdentity, serve } from 'varve/http'

const root = createIdentity({
  name: 'root',
  accessKeyId: 'EXAMPLEROOT',
  secretAccessKey: 'a-secret-of-some-length',
  root: true,
})

async function main(dir) {
  const store = await openStore(dir)
  await store.buckets.ensure('photos')
  await store.objects.put('photos', 'cat.txt', 'a small cat')
  const server = await serve({ store, identities: [root], port: 0 })
  const { status } = await fetch(`${server.url}/photos/cat.txt`)
  await server.close()
  const refused = await store.objects.get('photos', 'dog.txt').catch((error) => error)
  const { body } = await store.objects.get('photos', 'cat.txt')
  for await (const bytes of body)
    console.log(Buffer.from(bytes).toString(), status, isStorageError(refused, 'NoSuchKey'))
  await store.close()
}

void main(process.argv[2])
