#!/usr/bin/env node
// Where scripts outside the project look for `npm start`.
import '../tools/start.mjs';
