package org.reprobe.fabric.verbs;

class VerbsInGuestTest {}
