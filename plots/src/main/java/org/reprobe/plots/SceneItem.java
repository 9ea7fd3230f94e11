package org.reprobe.plots;

/** Element of a drawing. */
sealed interface SceneItem permits Scene, Scene.Path, Scene.Mark, Scene.Text {}
