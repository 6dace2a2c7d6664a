#!/usr/bin/env node
import "../dist/bundled/main.js";
