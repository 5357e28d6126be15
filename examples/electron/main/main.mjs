/** The entry of the app: gives Electron's modules to `startApp`, which tests run without Electron. */
import { app, BrowserWindow, ipcMain, nativeImage, protocol, session, utilityProcess } from 'electron'
import { privileges, startApp } from './app.mjs'

// A scheme gets its privileges before the app is ready.
protocol.registerSchemesAsPrivileged([privileges])

// One process has the store open, so a second instance of the app gives way to the first.
if (app.requestSingleInstanceLock()) {
  startApp({ app, BrowserWindow, ipcMain, nativeImage, protocol, session, utilityProcess }).catch((error) => {
    console.error(error)
    app.exit(1)
  })
} else app.quit()
